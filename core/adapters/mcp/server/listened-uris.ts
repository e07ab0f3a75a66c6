import { isRecord } from '../../../schema/pointer.ts';

/** The URIs whose changes a `subscriptions/listen` request (revision 2026-07-28) wants to hear about. */
export function listenedUris(message: unknown): string[] {
  if (!isRecord(message) || message.method !== 'subscriptions/listen' || !isRecord(message.params)) return [];
  const { notifications } = message.params;
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
