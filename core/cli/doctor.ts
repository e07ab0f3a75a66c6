import { type Diagnosis, diagnose } from '../doctor/index.ts';
import { ExitCode } from './exit-code.ts';
import { isQuietNow, oneLine, paint, print, startProgress } from './output.ts';

export interface DoctorOptions {
  readonly config?: string;
  readonly json?: boolean;
}

const STYLES = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** `glovebox doctor`: 0 when nothing has failed, 1 when something has. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const progress = startProgress('looking');
  const found = await diagnose({
    onProgress: progress.step,
    ...(options.config === undefined ? {} : { config: options.config }),
  }).finally(progress.end);
  const ok = !found.some(({ status }) => status === 'failed');
  if (options.json === true) await print(`${JSON.stringify({ ok, findings: found }, null, 2)}\n`);
  else
    await print(
      found
        .filter(({ status }) => status !== 'ok' || !isQuietNow())
        .map(toLine)
        .join(''),
    );
  return ok ? ExitCode.ok : ExitCode.failed;
}

function toLine({ check, status, message, fix }: Diagnosis): string {
  const line = `${paint(process.stdout, STYLES[status], status.padEnd(7))} ${check.padEnd(12)} ${oneLine(message)}\n`;
  return fix === undefined ? line : `${line}        fix: ${oneLine(fix)}\n`;
}
