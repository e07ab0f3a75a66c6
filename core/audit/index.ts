export { type AuditEntry, createAuditEntry, type EntryOptions, type Shape } from './entry.ts';
export { type AuditLog, type AuditLogOptions, createAuditLog, type PendingEntry } from './log.ts';
export { type AuditFilter, type ReadAuditOptions, readAudit } from './read.ts';
export { type GrantSuggestion, type SuggestOptions, suggestGrants } from './suggest.ts';
export {
  type CallSpan,
  createTelemetry,
  type Telemetry,
  type TelemetryOptions,
  type TracedCall,
} from './telemetry.ts';
