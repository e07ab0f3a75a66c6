export { Addition, type AddRequest, type Newcomer, prepareAddition } from './add-plugins.ts';
export { chooseGrants } from './choose-grants.ts';
export { type Grantee, grantPlugin, readGrantee } from './grant-plugin.ts';
export { type InstalledPlugin, listInstalled } from './installed.ts';
export { isEmptyRequest, missingGrants } from './missing-grants.ts';
export type { Outcome, Refusal } from './outcome.ts';
