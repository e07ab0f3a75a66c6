import { type Command, Option } from 'commander';
import { TYPES_FILE } from '../plugin/types.ts';
import { addExamples, CONFIG_HELP, onceOnly, runs } from './options.ts';

/** Commands for those who write plugins, `check` to `types`. Each loads its code when it is used. */
export function registerAuthoring(root: Command): void {
  registerCheck(root);
  registerDoctor(root);
  registerTest(root);
  registerNew(root);
  registerSchema(root);
  registerTypes(root);
}

function registerCheck(root: Command): void {
  const command = root
    .command('check')
    .description('check plugins: schema, permissions, examples, types, descriptions, portability')
    .argument('[dir]', "a plugin, a folder of plugins, or a project (default: the config's plugins)")
    .option('--fix', 'put right what can be put right without changing what it means')
    .option(
      '--record',
      "run examples against the real servers, and write the answers below the plugin's fixtures/",
    )
    .option('--strict', 'count warnings as errors')
    .addOption(new Option('--format <format>', 'form of the report').choices(['text', 'json', 'github']))
    .option('--json', 'the same as --format json')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((dir, options) => runs(async () => (await import('./check.ts')).check(dir, options)));
  addExamples(command, [
    'glovebox check',
    'glovebox check plugins/weather --fix',
    'glovebox check --format github   # in a workflow: annotations in the pull request',
  ]);
}

function registerDoctor(root: Command): void {
  const command = root
    .command('doctor')
    .description('look at all that glovebox stands on, and say how to put right what is wrong')
    .option('--json', 'print the findings as JSON')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((options) => runs(async () => (await import('./doctor.ts')).doctor(options)));
  addExamples(command, ['glovebox doctor', 'glovebox doctor --json']);
}

function registerTest(root: Command): void {
  const command = root
    .command('test')
    .description("run the plugins' own *.test.ts in the sandbox, with recorded answers of the network")
    .argument('[name]', 'name of one plugin (default: all that have tests)')
    .option('--record', "ask the real servers, and write their answers below the plugin's fixtures/")
    .option('--strangers', 'run also the tests of plugins under trust "granted": they run outside the wall')
    .option('--json', 'report as JSON on stdout')
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((name, options) => runs(async () => (await import('./test.ts')).test(name, options)));
  addExamples(command, ['glovebox test', 'glovebox test weather', 'glovebox test weather --record']);
}

function registerNew(root: Command): void {
  const command = root
    .command('new')
    .description('make a plugin that runs: schema, code, types, an example and a test')
    .argument('<name>', 'its name; with a group: github/create_issue')
    .option('--js', 'in JavaScript')
    .option(
      '--from <file>',
      'around a function: FILE.ts, or FILE.ts#name for one of several',
      onceOnly('--from'),
    )
    .option(
      '--from-openapi <file#operation>',
      'from an OpenAPI 3 document; the operation by its operationId or as "GET /path"',
      onceOnly('--from-openapi'),
    )
    .option(
      '--server <url>',
      'with --from-openapi: the server, where the document names none',
      onceOnly('--server'),
    )
    .option('--dir <folder>', "folder of plugins (default: the config's first)", onceOnly('--dir'))
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((name, options) => runs(async () => (await import('./new.ts')).create(name, options)));
  addExamples(command, [
    'glovebox new greet',
    'glovebox new github/create_issue --js',
    'glovebox new add --from src/add.ts',
    'glovebox new pets/show --from-openapi petstore.yaml#showPetById',
    "glovebox new pets/list --from-openapi 'petstore.yaml#GET /pets'",
  ]);
}

function registerSchema(root: Command): void {
  const command = root
    .command('schema')
    .description('read the schema of a tool out of a typed, documented function')
    .argument('<file>', 'FILE.ts or FILE.js, or FILE#name where it exports several functions')
    .option('--write', 'write it to schema.json beside the file; what else stands there is kept')
    .action((file, options) => runs(async () => (await import('./schema.ts')).schema(file, options)));
  addExamples(command, [
    'glovebox schema plugins/weather/index.ts',
    'glovebox schema plugins/weather/index.ts --write',
  ]);
}

function registerTypes(root: Command): void {
  const command = root
    .command('types')
    .description(`write ${TYPES_FILE} for every plugin, as each save does under "dev"`)
    .argument('[dir]', "a plugin, or a folder of plugins (default: the config's, but for strangers')")
    .option('--config <file>', CONFIG_HELP, onceOnly('--config'))
    .action((dir, options) => runs(async () => (await import('./types.ts')).types(dir, options)));
  addExamples(command, ['glovebox types', 'glovebox types plugins/weather']);
}
