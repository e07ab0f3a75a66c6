import { spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { done, failed, type Outcome } from './outcome.ts';

const TIMEOUT_MS = 300_000;
const MOST_OUTPUT_CHARS = 20_000;
/** Nothing of a package may run, and nothing but a registry is asked: `git` would be started with a stranger's words. */
const SAFE = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
const ENVIRONMENT = { npm_config_allow_git: 'none', npm_config_ignore_scripts: 'true' };

export interface NpmOptions {
  /** npm reads the `.npmrc` of this directory. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** Fetches the tarball of a package; npm checks it against what the registry says of it. */
export async function packPackage(spec: string, to: string, options: NpmOptions): Promise<Outcome<string>> {
  await mkdir(to, { recursive: true });
  const ran = await runNpm(
    ['pack', ...SAFE, '--workspaces=false', '--pack-destination', to, '--', spec],
    options,
  );
  if (!ran.ok) return failed(`npm could not fetch ${spec}: ${ran.message}`);
  const [tarball] = (await readdir(to)).filter((name) => name.endsWith('.tgz'));
  return tarball === undefined ? failed(`npm fetched nothing for ${spec}`) : done(path.join(to, tarball));
}

/** Installs what the package.json in `dir` depends on into its node_modules. */
export async function installDependencies(dir: string, signal?: AbortSignal): Promise<Outcome<void>> {
  const ran = await runNpm(
    [
      'install',
      ...SAFE,
      '--omit=dev',
      '--no-save',
      '--no-package-lock',
      '--workspaces=false',
      '--bin-links=false',
      '--install-links=false',
      // Else npm looks upwards for a workspace that this directory might belong to.
      '--prefix',
      dir,
    ],
    { cwd: dir, ...(signal === undefined ? {} : { signal }) },
  );
  return ran.ok ? done(undefined) : failed(`npm could not install its packages: ${ran.message}`);
}

function runNpm(args: readonly string[], { cwd, signal }: NpmOptions): Promise<Outcome<void>> {
  return new Promise((resolve) => {
    const ending = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]);
    const child = spawn('npm', args, {
      cwd,
      env: { ...process.env, ...ENVIRONMENT },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: ending,
      // On Windows npm is a script for the shell.
      shell: process.platform === 'win32',
    });
    let said = '';
    // Where no file descriptor is left there is no pipe, and 'error' follows.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MOST_OUTPUT_CHARS) said += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(failed('there is no npm on the PATH'));
      else if (signal?.aborted) resolve(failed('interrupted'));
      else
        resolve(failed(ending.aborted ? `it took more than ${TIMEOUT_MS / 60_000} minutes` : error.message));
    });
    child.on('close', (code) => resolve(code === 0 ? done(undefined) : failed(summary(said, code))));
  });
}

/** npm's own words without its prefixes and the place of its log. */
function summary(said: string, code: number | null): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!|warn)\s*/i, '').trim())
    .filter((line) => line !== '' && !/complete log of this run|^code E|^\d{4}-\d\d/.test(line));
  return lines.slice(0, 5).join(' ') || `it ended with ${code}`;
}
