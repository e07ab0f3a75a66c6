export { createServer, followChanges } from './create-server.ts';
export { type HttpOptions, type HttpServer, listenHttp } from './http.ts';
export { McpService, type McpServiceOptions } from './service.ts';
export type { McpSource } from './source.ts';
export { connectStdio, type StdioConnection, type StdioStreams } from './stdio.ts';
