import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const checkout = path.join(import.meta.dirname, '../..');

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** An empty project that has installed glovebox, and what else a document's reader installs. */
export interface Project extends AsyncDisposable {
  readonly dir: string;
  write(file: string, content: string): Promise<void>;
  /** One line for a shell. */
  shell(line: string): Promise<Ran>;
}

export async function createProject(env: Readonly<Record<string, string>>): Promise<Project> {
  const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-docs-'));
  await linkPackages(path.join(dir, 'node_modules'));
  const project: Project = {
    dir,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
    async write(file, content) {
      const place = path.resolve(dir, file);
      if (!place.startsWith(dir)) throw new Error(`${file} lies outside the project`);
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, content);
    },
    async shell(line) {
      const bin = path.join(dir, 'node_modules/.bin');
      const child = spawn('sh', ['-c', line], {
        cwd: dir,
        env: {
          ...process.env,
          PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
          NO_COLOR: '1',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      const [code, out, error] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      return { code, output: out + error };
    },
  };
  await project.write('package.json', '{ "name": "project", "type": "module", "private": true }\n');
  return project;
}

/** As `npm install` leaves them, without the copying. */
async function linkPackages(target: string): Promise<void> {
  const source = path.join(checkout, 'node_modules');
  await mkdir(path.join(target, '.bin'), { recursive: true });
  const names = (await readdir(source)).filter((name) => !name.startsWith('.') && name !== 'glovebox');
  await Promise.all(names.map((name) => symlink(path.join(source, name), path.join(target, name))));
  await symlink(checkout, path.join(target, 'glovebox'));
  await symlink(path.join(checkout, 'bin/glovebox.js'), path.join(target, '.bin/glovebox'));
}
