import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../host-options.ts';
import { readVersion } from '../version.ts';
import { call } from './call.ts';
import { ChatSetupError } from './chat.ts';
import { registerCheck } from './check.ts';
import { registerCompletion } from './completion.ts';
import { registerDev } from './dev.ts';
import { registerDoctor } from './doctor.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { addGlobalOptions } from './global-options.ts';
import { LIST_FORMATS, list } from './list.ts';
import { mcp } from './mcp.ts';
import { registerNew } from './new.ts';
import { onceOnly } from './options.ts';
import { say, tolerateClosedPipes } from './output.ts';
import { printable } from './printable.ts';
import { registerStrangers } from './register-strangers.ts';
import { registerSchema } from './schema.ts';
import { serve } from './serve.ts';
import { startChat } from './start-chat.ts';
import { registerTest } from './test.ts';
import { registerTypes } from './types.ts';

const CONFIG_HELP = 'config file (default: registry.config.json here, if there is one)';

/** Runs one command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  tolerateClosedPipes();
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = explain(error);
  }
}

function program(): Command {
  const root = new Command('glovebox')
    .description('Tools for AI agents, with the code sealed in.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText(
      'after',
      '\nExamples:\n  glovebox dev\n  glovebox list --format openai\n  glovebox call calculator --args \'{"expression": "2 ^ 10"}\'\n\nExit codes: 0 it worked, 1 the call failed, 2 the command line or the config is wrong.',
    );
  const run = (work: () => Promise<number>) => async () => {
    process.exitCode = await work();
  };
  registerDev(root);
  root
    .command('list')
    .description('list tools, resources and prompts')
    .option('--format <format>', `one of ${LIST_FORMATS.join(', ')}`, onceOnly('--format'))
    .option('--strict', 'strict schemas, where the provider has them')
    .option('--json', 'the same as --format json')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => run(() => list(options))());
  root
    .command('call')
    .description('call one tool; its content goes to stdout')
    .argument('<name>', 'name of the tool')
    .argument('[-]', 'read the arguments from stdin')
    .option('--args <json>', 'the arguments as JSON, @FILE, or - for stdin', onceOnly('--args'))
    .option('--json', 'print the whole result as JSON')
    .option('--session <id>', 'session that the call belongs to', onceOnly('--session'))
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((name, stdin, options) => run(() => call(name, stdin, options))());
  registerStrangers(root);
  root
    .command('chat')
    .description('talk with a model that may call the tools (OPENAI_BASE_URL, OPENAI_API_KEY)')
    .option('--model <name>', "the model's name (default: OPENAI_MODEL)", onceOnly('--model'))
    .addOption(new Option('--api <api>', 'protocol of the endpoint').choices(['chat', 'responses']))
    .option('--system <text>', 'first message, as the system', onceOnly('--system'))
    .option('--max-iterations <n>', 'requests to the model for one question', toCount)
    .option('--strict', 'strict schemas')
    .option('--allow <pattern...>', 'tools that the model may see')
    .option('--deny <pattern...>', 'tools that it may not')
    .option('--yes', 'approve every call without asking')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => run(() => startChat(options))());
  addMcp(root, run);
  registerCheck(root);
  registerDoctor(root);
  registerTest(root);
  registerNew(root);
  registerSchema(root);
  registerTypes(root);
  registerCompletion(root);
  addGlobalOptions(root);
  return root;
}

const SERVED = 'name patterns of the tools, resources and prompts that are served';

function addMcp(root: Command, run: (work: () => Promise<number>) => () => Promise<void>): void {
  root
    .command('mcp')
    .description('serve one MCP client over stdin and stdout')
    .option('--allow <pattern...>', SERVED)
    .option('--deny <pattern...>', 'name patterns of what is not')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => run(() => mcp(options))());
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
    .action((options) => run(() => serve(options))());
}

const DEFAULT_PORT = 7391;

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535; it is "${text}"`);
  return port;
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`--max-iterations must be a whole number above 0; it is "${text}"`);
  return count;
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage; // commander has said it
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof ChatSetupError) {
    say(printable(error.message));
    return ExitCode.usage;
  }
  say(`glovebox failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return ExitCode.failed;
}
