/** One thing that was looked at. */
export interface Diagnosis {
  /** e.g. `node`, `isolated-vm`, `worker`. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do; absent where all is well. */
  readonly fix?: string;
}

export const fine = (check: string, message: string): Diagnosis => ({ check, status: 'ok', message });

export const warn = (check: string, message: string, fix: string): Diagnosis => ({
  ...{ check, status: 'warning', message, fix },
});

export const failed = (check: string, message: string, fix: string): Diagnosis => ({
  ...{ check, status: 'failed', message, fix },
});
