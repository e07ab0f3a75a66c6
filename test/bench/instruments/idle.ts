import { setTimeout as pause } from 'node:timers/promises';
import { processUsage } from '../../../core/sandbox/process-usage.ts';
import type { Effort, Finding, Instrument } from '../finding.ts';
import { ADD_ONE, answerOf, Workshop } from '../workshop.ts';

const SETTLE_MS = 2_000;

export const idle: Instrument = { name: 'idle', title: 'A host that nobody calls', run };

async function run({ quick }: Effort): Promise<readonly Finding[]> {
  const plugins = Array.from({ length: 20 }, (_, index) => ({ name: `tool_${index}`, code: ADD_ONE }));
  await using workshop = await Workshop.open(plugins, { audit: true });
  await using host = await workshop.host({ watch: true });
  for (const { name } of plugins) await answerOf(host, name, { n: 1 });
  await pause(SETTLE_MS);
  const pids = host.workers().map(({ pid }) => pid);
  const workersMs = () => pids.reduce((sum, pid) => sum + (processUsage(pid)?.cpuMs ?? 0), 0);
  const duration = quick ? 2_000 : 20_000;
  const [own, theirs] = [process.cpuUsage(), workersMs()];
  await pause(duration);
  const { user, system } = process.cpuUsage(own);
  const percent = {
    host: (user + system) / 10 / duration,
    workers: ((workersMs() - theirs) * 100) / duration,
  };
  return [
    {
      instrument: 'idle',
      title: `${idle.title}, over ${duration / 1_000} s`,
      columns: [{ key: 'processor', unit: '%' }],
      rows: [
        { name: 'host', values: { processor: percent.host } },
        { name: `${pids.length} workers together`, values: { processor: percent.workers } },
      ],
      ratios: [
        {
          name: 'processor of an idle host',
          value: percent.host + percent.workers,
          unit: '%',
          goal: { most: 0.2 },
        },
      ],
    },
  ];
}
