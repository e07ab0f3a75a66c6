import type { Effort, Finding, Instrument } from '../finding.ts';
import { expectAnswer, RACE_COLUMNS, race, type Side } from '../race.ts';
import { type ForkedSide, openForked } from '../sides/other-process.ts';
import { Workshop } from '../workshop.ts';

const SIZES = [
  { name: '1 KB', chars: 1_000, share: 1 },
  { name: '100 KB', chars: 100_000, share: 0.5 },
  { name: '1 MB', chars: 1_000_000, share: 0.2 },
];
const ECHO = {
  name: 'echo',
  code: 'export default ({ text }) => text;\n',
  schema: {
    description: 'Answers with the text it is given. Use it in benchmarks. Example: {"text": "a"}.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnly: true },
    state: 'plugin',
  },
};

export const payloads: Instrument = { name: 'payloads', title: 'A text there and back', run };

async function run({ quick, tell }: Effort): Promise<readonly Finding[]> {
  await using workshop = await Workshop.open([ECHO], {
    audit: true,
    limits: { resultBytes: 4_000_000 },
    sandbox: { workers: 1 },
  });
  await using host = await workshop.host();
  await using floor = await openForked('', 'echo');
  const findings: Finding[] = [];
  for (const { name, chars, share } of SIZES) {
    tell(name);
    const text = 'The quick brown fox jumps over the lazy dog. '
      .repeat(Math.ceil(chars / 45))
      .slice(0, chars);
    const ours: Side = {
      name: 'Glovebox, warm',
      async call() {
        const result = await host.call({ name: 'echo', arguments: { text } });
        expectAnswer('Glovebox', result.ok ? result.value : result.content, text);
      },
      async [Symbol.asyncDispose]() {},
    };
    const size = quick ? { rounds: 3, calls: 20, warmUp: 10 } : { rounds: 30, calls: 100, warmUp: 100 };
    const found = await race([echoing(floor, text), ours], {
      ...size,
      calls: Math.max(2, size.calls * share),
      warmUp: size.warmUp * share,
    });
    findings.push({
      instrument: 'payloads',
      title: `${payloads.title}: ${name}`,
      columns: RACE_COLUMNS,
      rows: found.rows('one fork round trip'),
      ratios: [found.ratio('Glovebox, warm', 'one fork round trip')],
    });
  }
  return findings;
}

function echoing(floor: ForkedSide, text: string): Side {
  return {
    name: 'one fork round trip',
    async call() {
      expectAnswer('fork', await floor.ask(text), text);
    },
    async [Symbol.asyncDispose]() {},
  };
}
