import { Command, CommanderError } from 'commander';
import { ConfigError } from '../host-options.ts';
import { readVersion } from '../version.ts';
import { registerCompletion } from './completion.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { addGlobalOptions } from './global-options.ts';
import { say, tolerateClosedPipes } from './output.ts';
import { printable } from './printable.ts';
import { registerAuthoring } from './register-authoring.ts';
import { registerModels } from './register-models.ts';
import { registerRunning } from './register-running.ts';
import { registerStrangers } from './register-strangers.ts';

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
  registerRunning(root);
  registerStrangers(root);
  registerModels(root);
  registerAuthoring(root);
  registerCompletion(root);
  addGlobalOptions(root);
  return root;
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage; // commander has said it
  if (error instanceof UsageError || error instanceof ConfigError) {
    say(printable(error.message));
    return ExitCode.usage;
  }
  say(`glovebox failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return ExitCode.failed;
}
