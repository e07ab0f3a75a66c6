export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type ApprovalSetting,
  type Approver,
  type ApproverOptions,
  type AskForApproval,
  createApprover,
} from './approval.ts';
export { type BrokerOptions, type CallBroker, type CapabilityUse, createBroker } from './broker.ts';
export { describePermissions, type Locale, printable } from './describe.ts';
export type { ProtectedPaths } from './files/guard.ts';
export { DEFAULT_FILE_LIMITS, type FileLimits } from './files/limits.ts';
export { type Denial, denialMessage, grantLine, leastGrant } from './grant.ts';
export { type Admission, type Lock, type LockChangeResult, openLock } from './lock.ts';
export type { LockChange, LockDiff } from './lock-diff.ts';
export type { LockedPart, LockSubject } from './lock-entry.ts';
export { type Connections, createConnections } from './net/connections.ts';
export { DEFAULT_NET_LIMITS, type NetLimits } from './net/limits.ts';
export { type Resolver, systemResolver } from './net/resolve.ts';
export {
  type Capability,
  environmentFor,
  NO_PERMISSIONS,
  type Policy,
  type PolicyProblem,
  type PolicyResult,
  resolvePolicy,
} from './policy.ts';
export { environmentSecrets, type SecretSource, secretValues } from './secrets/edge.ts';
export { createRedactor, REDACTED, type RedactingStream, type Redactor } from './secrets/redactor.ts';
export { createStorage, type Storage } from './storage/storage.ts';
export { createTerminalPrompt, type TerminalPromptOptions } from './terminal-prompt.ts';
export type { CallTool } from './tools/capability.ts';
