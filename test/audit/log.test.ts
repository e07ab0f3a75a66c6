import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditLog, readAudit } from '../../core/audit/index.ts';
import { collect, entry } from './entries.ts';

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(dir, 'logs', 'audit.jsonl');
});

afterEach(() => rm(dir, { recursive: true, force: true }));

const ids = async () => (await collect(readAudit({ path }))).map((one) => one.id);

describe('the audit log', () => {
  it('writes one JSON line a call, in order, and only the owner may read it', async () => {
    const log = createAuditLog({ path });
    for (let number = 0; number < 500; number += 1)
      log.write(entry({ id: String(number), tool: 'a\u2028\nb' }));
    await log.close();
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines).toHaveLength(501);
    expect(lines.slice(0, -1).map((line) => JSON.parse(line).id)).toEqual(
      Array.from({ length: 500 }, (_, n) => String(n)),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await collect(readAudit({ path })))[0]?.tool).toBe('a\u2028\nb');
  });

  it('loses no line that is written while it writes', async () => {
    const log = createAuditLog({ path });
    for (let number = 0; number < 200; number += 1) {
      log.write(entry({ id: String(number) }));
      if (number % 3 === 0) await Promise.resolve();
      if (number % 50 === 0) await log.flush();
      if (number % 7 === 0) await new Promise((later) => setImmediate(later));
    }
    await log.close();
    expect(await ids()).toEqual(Array.from({ length: 200 }, (_, n) => String(n)));
  });

  it('puts files aside by size and keeps a bounded number of them', async () => {
    const size = JSON.stringify(entry({ id: '10' })).length + 1;
    const log = createAuditLog({ path, maxBytes: size * 3, maxFiles: 3 });
    for (let number = 10; number < 30; number += 1) log.write(entry({ id: String(number) }));
    await log.close();
    expect((await readdir(join(dir, 'logs'))).sort()).toEqual([
      'audit.jsonl',
      'audit.jsonl.1',
      'audit.jsonl.2',
    ]);
    for (const name of await readdir(join(dir, 'logs'))) {
      expect((await stat(join(dir, 'logs', name))).size).toBeLessThanOrEqual(size * 3);
    }
    expect(await ids()).toEqual(['22', '23', '24', '25', '26', '27', '28', '29']);
  });

  it('goes on behind a line that a crash cut short', async () => {
    await mkdir(join(dir, 'logs'));
    await writeFile(path, `${JSON.stringify(entry({ id: '1' }))}\n{"time":"2026`);
    const log = createAuditLog({ path });
    log.write(entry({ id: '2' }));
    await log.close();
    expect(await ids()).toEqual(['1', '2']);
  });

  it('finds the new file when another process has put the old one aside', async () => {
    const log = createAuditLog({ path });
    log.write(entry({ id: '1' }));
    await log.flush();
    await rename(path, `${path}.1`);
    log.write(entry({ id: '2' }));
    await log.close();
    expect(await readFile(path, 'utf8')).toContain('"id":"2"');
    expect(await ids()).toEqual(['1', '2']);
  });

  it('keeps what was flushed when the process is killed', async () => {
    const module = new URL('../../core/audit/index.ts', import.meta.url).href;
    const line = JSON.stringify(entry({ id: 'kept' }));
    const script = `
      const { createAuditLog } = await import(${JSON.stringify(module)});
      const log = createAuditLog({ path: ${JSON.stringify(path)} });
      log.write(${line});
      await log.flush();
      process.kill(process.pid, 'SIGKILL');`;
    await once(spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }), 'close');
    expect(await ids()).toEqual(['kept']);
  });

  it('tells its operator once that the disk refuses, and in the file what is missing', async () => {
    await writeFile(join(dir, 'logs'), 'a file where the folder should be');
    const problems: string[] = [];
    const log = createAuditLog({ path, onProblem: (message) => problems.push(message) });
    log.write(entry({ id: '1' }));
    await log.flush();
    expect(problems).toHaveLength(1);
    await rm(join(dir, 'logs'));
    log.write(entry({ id: '2' }));
    await log.close();
    expect(await ids()).toEqual(['2']);
    expect(await readFile(path, 'utf8')).toContain('"dropped":1');
  });

  it('drops no line because what it is made of is long', async () => {
    const log = createAuditLog({ path });
    for (let number = 0; number < 12; number += 1)
      log.write({ make: () => entry({ id: String(number) }), chars: 4_000_000 });
    await log.close();
    expect(await ids()).toEqual(Array.from({ length: 12 }, (_, n) => String(n)));
  });

  it('does not make all long entries in one go', async () => {
    const log = createAuditLog({ path });
    let turn = 0;
    const ticking = setInterval(() => {
      turn += 1;
    });
    const turns = new Set<number>();
    for (let number = 0; number < 4; number += 1) {
      const make = () => {
        turns.add(turn);
        const until = performance.now() + 5;
        while (performance.now() < until);
        return entry({ id: String(number) });
      };
      log.write({ make, chars: 1_000_000 });
    }
    await log.close();
    clearInterval(ticking);
    expect(turns.size).toBeGreaterThan(1);
  });

  it('lets Node exit by itself', async () => {
    const module = new URL('../../core/audit/index.ts', import.meta.url).href;
    const script = `
      const { createAuditLog } = await import(${JSON.stringify(module)});
      createAuditLog({ path: ${JSON.stringify(path)} }).write(${JSON.stringify(entry({ id: 'last' }))});`;
    const [code] = await once(
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }),
      'close',
    );
    expect(code).toBe(0);
    expect(await ids()).toEqual(['last']);
  });
});

describe('reading', () => {
  it('filters by tool, session, outcome and time', async () => {
    const log = createAuditLog({ path });
    log.write(entry({ id: '1', time: '2026-01-01T00:00:00.000Z' }));
    log.write(
      entry({
        id: '2',
        tool: 'math.add',
        session: 't',
        outcome: 'timeout',
        time: '2026-01-02T00:00:00.000Z',
      }),
    );
    log.write(entry({ id: '3', tool: 'math.sub', session: 't', time: '2026-01-03T00:00:00.000Z' }));
    await log.close();
    const found = async (filter: object) =>
      (await collect(readAudit({ path, ...filter }))).map((one) => one.id);
    expect(await found({ tool: 'weather' })).toEqual(['1']);
    expect(await found({ tool: 'math.*' })).toEqual(['2', '3']);
    expect(await found({ session: 't', outcome: 'ok' })).toEqual(['3']);
    expect(await found({ outcome: 'failed' })).toEqual(['2']);
    expect(await found({ since: new Date('2026-01-02') })).toEqual(['2', '3']);
    expect(await found({ tool: 'none' })).toEqual([]);
  });

  it('passes over lines that are no entries, and over a file that is not there', async () => {
    expect(await ids()).toEqual([]);
    await mkdir(join(dir, 'logs'));
    await writeFile(path, `null\n7\n[]\n{}\nrubbish\n${'x'.repeat(2_000_000)}\n`);
    await appendFile(path, `${JSON.stringify(entry({ id: 'good' }))}\n`);
    expect(await ids()).toEqual(['good']);
  });

  it('follows what is written later, across rotations, until it is told to stop', async () => {
    const size = JSON.stringify(entry({ id: '10' })).length + 1;
    const log = createAuditLog({ path, maxBytes: size * 4, maxFiles: 50 });
    const ending = new AbortController();
    const seen: (string | undefined)[] = [];
    const following = (async () => {
      for await (const one of readAudit({ path, follow: true, signal: ending.signal })) {
        seen.push(one.id);
        if (seen.length === 40) ending.abort();
      }
    })();
    for (let number = 10; number < 50; number += 1) {
      log.write(entry({ id: String(number) }));
      if (number % 10 === 0) await new Promise((later) => setTimeout(later, 30));
    }
    await following;
    await log.close();
    expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => String(n + 10)));
  });

  it('says nothing of a file that it may not read', async () => {
    const log = createAuditLog({ path });
    log.write(entry());
    await log.close();
    await chmod(path, 0o000);
    // Root may read everything.
    if (process.getuid?.() !== 0) expect(await ids()).toEqual([]);
  });
});
