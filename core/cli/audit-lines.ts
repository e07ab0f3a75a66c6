import type { AuditEntry } from '../audit/index.ts';
import { grantLine, printable } from '../permissions/index.ts';
import { paint } from './output.ts';

const NAME_CHARS = 28;
/** The longest error codes. */
const OUTCOME_CHARS = 19;
const MOST_USES = 20;
const LONGEST_TARGET = 160;
const LONGEST_MESSAGE = 300;

export function auditHead(stream: NodeJS.WriteStream): string {
  return paint(
    stream,
    'dim',
    `${'TIME'.padEnd(19)}  ${'TOOL'.padEnd(NAME_CHARS)}  ${'OUTCOME'.padEnd(OUTCOME_CHARS)}  ${'MS'.padStart(6)}  USED`,
  );
}

/** One call on one line; what it was refused follows below, with the grant that would allow it. */
export function auditLines(entry: AuditEntry, stream: NodeJS.WriteStream): string[] {
  const { uses = [], outcome } = entry;
  const colour = outcome === 'ok' ? 'green' : 'red';
  const used = uses.filter(({ allowed }) => allowed);
  const refused = uses.filter(({ allowed }) => !allowed);
  const line = [
    localTime(entry.time),
    printable(entry.tool, NAME_CHARS).padEnd(NAME_CHARS),
    paint(stream, colour, printable(outcome, OUTCOME_CHARS).padEnd(OUTCOME_CHARS)),
    String(Math.round(entry.usage?.wallMs ?? 0)).padStart(6),
    used.map(usedText).slice(0, MOST_USES).join(', '),
  ].join('  ');
  return [
    line.trimEnd(),
    ...(entry.message === undefined || refused.length > 0
      ? []
      : [paint(stream, 'dim', `    ${printable(entry.message.replace(/\s+/g, ' '), LONGEST_MESSAGE)}`)]),
    ...refused.slice(0, MOST_USES).flatMap((use) => {
      const grant = grantLine(entry.tool, use.capability, use.target);
      return [
        paint(stream, 'yellow', `    refused: ${usedText(use)}`),
        ...(grant === undefined ? [] : [`      would allow it, in "grants": ${printable(grant, 600)}`]),
      ];
    }),
  ];
}

/** For what is folded below a line. */
export function moreLine(count: number, last: AuditEntry, stream: NodeJS.WriteStream): string {
  return paint(stream, 'dim', `    ${count} more like it, the last at ${localTime(last.time)}`);
}

type Use = NonNullable<AuditEntry['uses']>[number];

function usedText({ capability, target, count }: Use): string {
  return `${capability} ${printable(target, LONGEST_TARGET)}${count > 1 ? ` (${count} times)` : ''}`;
}

/** In the time zone of whoever reads it; `--json` has it in UTC. */
function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return printable(iso, 19).padEnd(19);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
