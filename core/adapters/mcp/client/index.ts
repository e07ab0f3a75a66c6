export { serverEntryName } from './consent.ts';
export { McpServers, type McpServersOptions } from './mcp-servers.ts';
export { readServerSubjects, type ServerSubjects } from './read-server-subjects.ts';
