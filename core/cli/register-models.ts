import { type Command, Option } from 'commander';
import { UsageError } from './exit-code.ts';
import { CONFIG_HELP, onceOnly, runs, wholeNumber } from './options.ts';

/** Commands that put the tools before a model: `chat`, `mcp` and `serve`. Each loads its code when it is used. */
export function registerModels(root: Command): void {
  registerChat(root);
  registerMcp(root);
  registerServe(root);
}

function registerChat(root: Command): void {
  root
    .command('chat')
    .description('talk with a model that may call the tools (OPENAI_BASE_URL, OPENAI_API_KEY)')
    .option('--model <name>', "the model's name (default: OPENAI_MODEL)", onceOnly('--model'))
    .addOption(new Option('--api <api>', 'protocol of the endpoint').choices(['chat', 'responses']))
    .option('--system <text>', 'first message, as the system', onceOnly('--system'))
    .option('--max-iterations <n>', 'requests to the model for one question', wholeNumber('--max-iterations'))
    .option('--strict', 'strict schemas')
    .option('--allow <pattern...>', 'tools that the model may see')
    .option('--deny <pattern...>', 'tools that it may not')
    .option('--yes', 'approve every call without asking')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./start-chat.ts')).startChat(options)));
}

const SERVED = 'name patterns of the tools, resources and prompts that are served';
const DEFAULT_PORT = 7391;

function registerMcp(root: Command): void {
  root
    .command('mcp')
    .description('serve one MCP client over stdin and stdout')
    .option('--allow <pattern...>', SERVED)
    .option('--deny <pattern...>', 'name patterns of what is not')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./mcp.ts')).mcp(options)));
}

function registerServe(root: Command): void {
  root
    .command('serve')
    .description('serve MCP clients over HTTP')
    .option('--port <n>', 'port to listen at; 0 for any that is free', toPort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen at (default: 127.0.0.1)', onceOnly('--host'))
    .option('--host-name <name...>', 'further names that requests may call this server by')
    .option('--token <token>', 'token that requests must bring (better: GLOVEBOX_TOKEN)', onceOnly('--token'))
    .option('--allow <pattern...>', SERVED)
    .option('--deny <pattern...>', 'name patterns of what is not')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./serve.ts')).serve(options)));
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535; it is "${text}"`);
  return port;
}
