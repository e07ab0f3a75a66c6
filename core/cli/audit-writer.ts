import type { AuditEntry } from '../audit/index.ts';
import { auditHead, auditLines, moreLine } from './audit-lines.ts';
import { print } from './output.ts';

export interface AuditWriter {
  write(entry: AuditEntry): Promise<void>;
  /** Tells of what is still folded; and that there was nothing, if so. */
  end(): Promise<void>;
}

/** JSON lines for programs: whole, whatever they say. */
export function jsonWriter(): AuditWriter {
  return {
    write: (entry) => print(`${JSON.stringify(entry)}\n`),
    end: async () => {},
  };
}

/**
 * A table for people. With `folds`, refusals that follow one another and say the same are one line and a count, which is
 * known when another entry comes: nothing for somebody who watches.
 */
export function tableWriter({ folds }: { readonly folds: boolean }): AuditWriter {
  let isEmpty = true;
  let before: string | undefined;
  let last: AuditEntry | undefined;
  let folded = 0;
  const unfold = () => (folded === 0 || last === undefined ? [] : [moreLine(folded, last, process.stdout)]);
  return {
    async write(entry) {
      const refusal = folds ? refusalOf(entry) : undefined;
      if (refusal !== undefined && refusal === before) {
        folded += 1;
        last = entry;
        return;
      }
      const lines = [
        ...(isEmpty ? [auditHead(process.stdout)] : unfold()),
        ...auditLines(entry, process.stdout),
      ];
      [isEmpty, before, folded] = [false, refusal, 0];
      await print(`${lines.join('\n')}\n`);
    },
    async end() {
      for (const line of isEmpty ? ['No calls match.'] : unfold()) await print(`${line}\n`);
    },
  };
}

/** What a call that never ran has in common with others: a queue's numbers differ from each to the next. */
function refusalOf({ tool, outcome, effects, message = '', uses = [] }: AuditEntry): string | undefined {
  if (effects !== 'did_not_run' || uses.length > 0) return undefined;
  return JSON.stringify([tool, outcome, message.replace(/\d+/g, '#')]);
}
