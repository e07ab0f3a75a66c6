import type { Command } from 'commander';
import { LIST_FORMATS } from './list-formats.ts';
import { CONFIG_HELP, onceOnly, runs } from './options.ts';

/** Commands that run the tools from here: `dev`, `list` and `call`. Each loads its code when it is used. */
export function registerRunning(root: Command): void {
  registerDev(root);
  registerList(root);
  registerCall(root);
}

function registerDev(root: Command): void {
  root
    .command('dev')
    .description('watch the plugin directories; print each load, error and call; call tools from here')
    .option(
      '--inspect <name>',
      'let Chrome DevTools attach to this plugin; it then has no deadlines',
      onceOnly('--inspect'),
    )
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .addHelpText(
      'after',
      '\nType a tool\'s name and its arguments to call it: weather {"city": "Oslo"}. Also: list, help, quit.',
    )
    .action((options) => runs(async () => (await import('./dev.ts')).dev(options)));
}

function registerList(root: Command): void {
  root
    .command('list')
    .description('list tools, resources and prompts')
    .option('--format <format>', `one of ${LIST_FORMATS.join(', ')}`, onceOnly('--format'))
    .option('--strict', 'strict schemas, where the provider has them')
    .option('--json', 'the same as --format json')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./list.ts')).list(options)));
}

function registerCall(root: Command): void {
  root
    .command('call')
    .description('call one tool; its content goes to stdout')
    .argument('<name>', 'name of the tool')
    .argument('[-]', 'read the arguments from stdin')
    .option('--args <json>', 'the arguments as JSON, @FILE, or - for stdin', onceOnly('--args'))
    .option('--json', 'print the whole result as JSON')
    .option('--session <id>', 'session that the call belongs to', onceOnly('--session'))
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((name, stdin, options) =>
      runs(async () => (await import('./call.ts')).call(name, stdin, options)),
    );
}
