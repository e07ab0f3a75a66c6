/** `npm run bench [-- NAME...] [--quick] [--json FILE] [--save]` */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { drawChart } from './chart.ts';
import { type Finding, isMet } from './finding.ts';
import { INSTRUMENTS } from './instruments.ts';
import { writeTables } from './report.ts';

const USAGE = `npm run bench [-- NAME...] [--quick] [--json FILE] [--save]
  NAME         one or more of: ${INSTRUMENTS.map(({ name }) => name).join(', ')}; all by default.
               Tables come in the order of the names; what is measured first is always the same
  --quick      little of each, to try it out
  --json FILE  writes the findings there too
  --save       puts tables, chart and findings into docs/performance.md and docs/performance/
`;

const docs = path.resolve(import.meta.dirname, '../../docs');

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      save: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const unknown = positionals.filter((name) => !INSTRUMENTS.some((instrument) => instrument.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no instrument is called ${unknown.join(', ')}\n${USAGE}`);
    return 2;
  }
  if (values.quick && values.save) {
    process.stderr.write("quick numbers are not for the record: --save doesn't go with --quick\n");
    return 2;
  }
  const chosen = INSTRUMENTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const findings = await measure(
    chosen.map(({ name }) => name),
    values.quick,
  );
  const remark = values.quick ? ' Quick: not for the record.' : '';
  process.stdout.write(`${aboutMachine()}${remark}\n\n${writeTables(inOrder(findings, positionals))}\n`);
  if (values.json !== undefined) await writeReport(values.json, values.quick, findings);
  if (values.save) await save(await amongSaved(findings));
  return 0;
}

/** As they were named. They are measured in an order of their own: an idle host in a process that nothing has used. */
function inOrder(findings: readonly Finding[], names: readonly string[]): Finding[] {
  return findings.toSorted((one, other) => names.indexOf(one.instrument) - names.indexOf(other.instrument));
}

/** What was saved before, with these in the place of the same instruments' findings. */
async function amongSaved(findings: readonly Finding[]): Promise<readonly Finding[]> {
  const text = await readFile(SAVED, 'utf8').catch(() => '{"findings":[]}');
  const saved = (JSON.parse(text) as { findings: Finding[] }).findings; // written below
  const measured = new Set(findings.map(({ instrument }) => instrument));
  return INSTRUMENTS.flatMap(({ name }) =>
    (measured.has(name) ? findings : saved).filter(({ instrument }) => instrument === name),
  );
}

async function writeReport(file: string, quick: boolean, findings: readonly Finding[]): Promise<void> {
  const report = { machine: describeMachine(), quick, findings: findings.map(withVerdicts) };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}

async function measure(names: readonly string[], quick: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const instrument of INSTRUMENTS.filter(({ name }) => names.includes(name))) {
    const tell = (line: string): void => void process.stderr.write(`${instrument.name}: ${line}\n`);
    tell(instrument.title);
    findings.push(...(await instrument.run({ quick, tell })));
  }
  return findings;
}

function withVerdicts(finding: Finding) {
  return { ...finding, ratios: finding.ratios.map((ratio) => ({ ...ratio, met: isMet(ratio) })) };
}

function describeMachine() {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1_073_741_824),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    date: new Date().toISOString().slice(0, 10),
  };
}

function aboutMachine(): string {
  const { cpu, cores, memoryGb, platform, node, date } = describeMachine();
  return `${date}, ${cpu}, ${cores} cores, ${memoryGb} GB, ${platform}, Node ${node}.`;
}

const SAVED = path.join(docs, 'performance/findings.json');
const BEGIN = '<!-- bench: written by `npm run bench -- --save` -->';
const END = '<!-- /bench -->';

async function save(findings: readonly Finding[]): Promise<void> {
  const page = path.join(docs, 'performance.md');
  const text = await readFile(page, 'utf8');
  const [before, rest] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || rest < before) throw new Error(`${page} has no place for the tables`);
  const tables = `${BEGIN}\n\n${aboutMachine()}\n\n${writeTables(findings)}\n`;
  await writeFile(page, `${text.slice(0, before)}${tables}${text.slice(rest)}`);
  await mkdir(path.join(docs, 'performance'), { recursive: true });
  await writeReport(SAVED, false, findings);
  const calls = findings.filter(({ columns }) => columns.some(({ key }) => key === 'ratio'));
  const charted = calls.filter(({ instrument }) => instrument === 'warm' || instrument === 'fresh');
  if (charted.length > 0) await writeFile(path.join(docs, 'performance/calls.svg'), drawChart(charted));
}

process.exitCode = await main();
