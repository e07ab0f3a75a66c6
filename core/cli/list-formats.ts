import { TARGETS } from '../adapters/targets.ts';

/** What `glovebox list --format` takes. */
export const LIST_FORMATS: readonly string[] = ['json', ...TARGETS];
