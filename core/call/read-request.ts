import type { CallRequest } from './call.ts';

const REQUEST_PARTS = [
  'arguments',
  'id',
  'signal',
  'finishReason',
  'chain',
  'onProgress',
  'onLog',
  'ask',
  'view',
] as const;

/** What comes from outside the types (a model's call, plain JavaScript) may be anything; each part is read once. */
export function readRequest(request: CallRequest): CallRequest {
  try {
    const { name, session } = request;
    const read: Record<string, unknown> = { name: typeof name === 'string' ? name : '' };
    for (const part of REQUEST_PARTS) {
      const value: unknown = request[part];
      // The arguments alone may be null.
      if (value !== undefined && (value !== null || part === 'arguments')) read[part] = value;
    }
    if (session !== undefined && session !== null) read.session = String(session);
    return read as unknown as CallRequest; // its parts, as far as they were there
  } catch {
    return { name: '' };
  }
}
