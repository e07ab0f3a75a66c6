import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('ends no process where what speaks HTTP can not be loaded, and tells whoever would connect', () => {
  const module = new URL('../../../core/permissions/net/connections.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (name === 'undici') throw new Error('it is gone');
        return next(name, context);
      },
    });
    const { createConnections } = await import(${JSON.stringify(module)});
    const connections = createConnections({ headerBytes: 1024 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const told = await connections.acquire('https://example.org', []).catch(({ message }) => message);
    process.stdout.write(String(told));`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'it is gone' });
});
