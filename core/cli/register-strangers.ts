import type { Command } from 'commander';
import { addExamples, CONFIG_HELP, onceOnly, runs, wholeNumber } from './options.ts';

/** Commands for living with strangers' plugins: `add`, `grant` and `audit`. Each loads its code when it is used. */
export function registerStrangers(root: Command): void {
  registerAdd(root);
  registerGrant(root);
  registerAudit(root);
}

function registerAdd(root: Command): void {
  const command = root
    .command('add')
    .description("show what strangers' plugins ask for and, with your consent, add them")
    .argument(
      '<source>',
      'a directory, a tarball, or the name of an npm package (npm:NAME where a path has it too)',
    )
    .option(
      '--dir <dir>',
      'plugin directory to add to (default: the first under trust "granted", else ./strangers)',
      onceOnly('--dir'),
    )
    .option('--yes', 'consent without being asked; grants nothing by itself')
    .option('--grant', 'grant all that they ask for, too')
    .option('--json', 'print the result as JSON')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((source, options) => runs(async () => (await import('./add.ts')).add(source, options)));
  addExamples(command, ['glovebox add ./downloads/weather', 'glovebox add weather-tool@1.2.0 --yes --grant']);
}

function registerGrant(root: Command): void {
  const command = root
    .command('grant')
    .description('consent to a plugin as it is now, and grant what it asks for')
    .argument('<name>', 'name of a plugin under trust "granted", of an MCP server or one of its tools')
    .option(
      '--only <what...>',
      'grant just this: net, "net=GET https://api.example.com/*", secrets=NAME, storage=1MB',
    )
    .option('--keep', 'leave its grants as they are')
    .option('--yes', 'consent without being asked')
    .option('--json', 'print the result as JSON')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((name, options) => runs(async () => (await import('./grant.ts')).grant(name, options)));
  addExamples(command, [
    'glovebox grant weather',
    "glovebox grant weather --only net 'read=./data/**' --yes",
  ]);
}

function registerAudit(root: Command): void {
  const command = root
    .command('audit')
    .description('read what was called, used and refused')
    .option('--tool <pattern>', "a tool's name or a pattern like github.*", onceOnly('--tool'))
    .option('--outcome <outcome>', 'ok, failed, or the code of an error', onceOnly('--outcome'))
    .option('--session <id>', 'only this session', onceOnly('--session'))
    .option(
      '--since <time>',
      'from this time on: 2026-01-31T12:00:00Z, or 15m, 2h, 3d ago',
      onceOnly('--since'),
    )
    .option('--until <time>', 'up to this time', onceOnly('--until'))
    .option('--limit <n>', 'only the newest', wholeNumber('--limit'))
    .option('--follow', 'go on with what is called from now on; Ctrl-C ends')
    .option(
      '--suggest <name>',
      'print the least grants that cover what this tool used',
      onceOnly('--suggest'),
    )
    .option('--json', 'JSON lines')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./audit.ts')).audit(options)));
  addExamples(command, ['glovebox audit --since 2h --outcome failed', 'glovebox audit --suggest weather']);
}
