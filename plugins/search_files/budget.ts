/** Host calls, bytes and time that one search may take: it stops early and says so instead of running into a limit. */
export interface Budget {
  /** Why it stopped; undefined while it may go on. */
  stopped: string | undefined;
  folder(): boolean;
  /** May one more file be read? */
  file(): boolean;
  read(bytes: number): void;
}

const MOST_FOLDERS = 3_000;
const MOST_FILES = 6_000;
const MOST_BYTES = 67_108_864;
const MOST_MS = 8_000;

export function createBudget(): Budget {
  const began = performance.now();
  let folders = 0;
  let files = 0;
  let bytes = 0;
  const within = (): boolean => {
    if (performance.now() - began > MOST_MS) budget.stopped ??= 'time was up';
    return budget.stopped === undefined;
  };
  const budget: Budget = {
    stopped: undefined,
    folder() {
      folders += 1;
      if (folders > MOST_FOLDERS) budget.stopped ??= `there are more than ${MOST_FOLDERS} folders`;
      return within();
    },
    file() {
      files += 1;
      if (files > MOST_FILES) budget.stopped ??= `there are more than ${MOST_FILES} files to read`;
      if (bytes > MOST_BYTES) budget.stopped ??= 'the files hold more than 64 MB';
      return within();
    },
    read(count) {
      bytes += count;
    },
  };
  return budget;
}
