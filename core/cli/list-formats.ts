import { TARGETS } from '../adapters/targets.ts';

/** What `glovebox list --format` takes. Apart from the command, whose code the help does without. */
export const LIST_FORMATS: readonly string[] = ['json', ...TARGETS];
