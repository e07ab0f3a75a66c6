export * from '../adapters/mcp/server/index.ts';
