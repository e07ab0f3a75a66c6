/**
 * Every module of the standard API behind a function that evaluates it at its first call: esbuild turns `require` of a
 * path into a call of that module's wrapper. The casts say which module a path is; esbuild resolves it.
 */
export const modules = {
  abort: () => require('./abort.ts') as typeof import('./abort.ts'),
  base64: () => require('./base64.ts') as typeof import('./base64.ts'),
  blob: () => require('./blob.ts') as typeof import('./blob.ts'),
  compression: () => require('./compression.ts') as typeof import('./compression.ts'),
  console: () => require('./console.ts') as typeof import('./console.ts'),
  crypto: () => require('./crypto.ts') as typeof import('./crypto.ts'),
  domException: () => require('./dom-exception.ts') as typeof import('./dom-exception.ts'),
  encoding: () => require('./encoding.ts') as typeof import('./encoding.ts'),
  encodingStreams: () => require('./encoding-streams.ts') as typeof import('./encoding-streams.ts'),
  event: () => require('./event.ts') as typeof import('./event.ts'),
  eventTarget: () => require('./event-target.ts') as typeof import('./event-target.ts'),
  fetch: () => require('./fetch.ts') as typeof import('./fetch.ts'),
  formData: () => require('./form-data.ts') as typeof import('./form-data.ts'),
  headers: () => require('./headers.ts') as typeof import('./headers.ts'),
  messageEvent: () => require('./message-event.ts') as typeof import('./message-event.ts'),
  messagePort: () => require('./message-port.ts') as typeof import('./message-port.ts'),
  navigator: () => require('./navigator.ts') as typeof import('./navigator.ts'),
  performance: () => require('./performance.ts') as typeof import('./performance.ts'),
  reportError: () => require('./report-error.ts') as typeof import('./report-error.ts'),
  request: () => require('./request.ts') as typeof import('./request.ts'),
  response: () => require('./response.ts') as typeof import('./response.ts'),
  streams: () => require('./streams.ts') as typeof import('./streams.ts'),
  structuredClone: () => require('./structured-clone.ts') as typeof import('./structured-clone.ts'),
  timers: () => require('./timers.ts') as typeof import('./timers.ts'),
  url: () => require('./url.ts') as typeof import('./url.ts'),
  urlPattern: () => require('./url-pattern.ts') as typeof import('./url-pattern.ts'),
  urlSearchParams: () => require('./url-search-params.ts') as typeof import('./url-search-params.ts'),
};
