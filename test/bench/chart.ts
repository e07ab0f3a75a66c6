import type { Finding } from './finding.ts';
import { writeNumber } from './report.ts';

const WIDTH = 860;
const NAMES = 330;
const NUMBERS = 90;
const BAR = 18;
const STEP = 28;
const TOP = 44;
const OURS = '#2f7d6d';
const OTHERS = '#8a94a0';
const TEXT = '#6b7480';

/** Horizontal bars of the medians, on a logarithmic scale because sides lie a thousandfold apart. Reads on light and dark pages. */
export function drawChart(findings: readonly Finding[]): string {
  let top = 0;
  const panels = findings.map((finding) => {
    const panel = drawPanel(finding, top);
    top += TOP + finding.rows.length * STEP + 12;
    return panel;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top}" viewBox="0 0 ${WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">\n<title>Medians of calls, against other ways to run a tool</title>
${panels.join('\n')}
</svg>
`;
}

function drawPanel({ title, rows }: Finding, top: number): string {
  const sorted = rows
    .map(({ name, values }) => ({ name, ms: values.p50 ?? Number.NaN }))
    .sort((a, b) => a.ms - b.ms);
  const least = Math.log10(Math.min(...sorted.map(({ ms }) => ms))) - 0.3;
  const most = Math.log10(Math.max(...sorted.map(({ ms }) => ms)));
  const scale = (ms: number): number =>
    ((Math.log10(ms) - least) / (most - least)) * (WIDTH - NAMES - NUMBERS);
  const bars = sorted.map(({ name, ms }, index) => {
    const y = top + TOP + index * STEP;
    const length = Math.max(2, scale(ms)).toFixed(1);
    const end = (NAMES + Number(length) + 6).toFixed(1);
    return `<text x="${NAMES - 8}" y="${y + 13}" text-anchor="end" fill="${TEXT}">${escapeText(name)}</text>
<rect x="${NAMES}" y="${y}" width="${length}" height="${BAR}" rx="2" fill="${name.startsWith('Glovebox') ? OURS : OTHERS}"/>
<text x="${end}" y="${y + 13}" fill="${TEXT}">${writeNumber(ms, 'ms')} ms</text>`;
  });
  return `<text x="8" y="${top + 22}" fill="${TEXT}" font-weight="600">${escapeText(title)}: median, logarithmic</text>
${bars.join('\n')}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
