import TurndownService from 'turndown';
import { tableToMarkdown } from './table.ts';

/** Markdown for reading: nothing of it need turn into the same HTML again. */
export function toMarkdown(element: Element, links: boolean): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.escape = escapeText;
  service.addRule('listItem', {
    filter: 'li',
    replacement: (content, node) => listItem(content, node as Element), // by the filter
  });
  service.addRule('strikethrough', {
    filter: (node) => /^(del|s|strike)$/i.test(node.nodeName),
    replacement: (content) => (content.trim() === '' ? '' : `~~${content}~~`),
  });
  service.addRule('codeBlock', { filter: 'pre', replacement: (_content, node) => fence(node as Element) }); // by the filter
  service.addRule('link', {
    filter: 'a',
    replacement(content, node) {
      const text = content.replace(/\s*\n\s*/g, ' ').trim();
      const href = (node as Element).getAttribute('href'); // by the filter
      if (text === '') return '';
      return !links || href === null ? text : `[${text}](${href.replace(/[()\s]/g, percent)})`;
    },
  });
  service.addRule('image', {
    filter: 'img',
    replacement(_content, node) {
      const image = node as Element; // by the filter
      const alt = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').replace(/[[\]]/g, '').trim();
      return links ? `![${alt}](${image.getAttribute('src') ?? ''})` : `(Image: ${alt})`;
    },
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node) =>
      tableToMarkdown(node as Element, content, (cell) => service.turndown(cell as HTMLElement)), // by the filter
  });
  const copy = element as HTMLElement; // turndown takes any element
  return service
    .turndown(copy)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** One blank after the mark is enough, and further lines are indented as far. */
function listItem(content: string, item: Element): string {
  const list = item.parentElement;
  const isOrdered = list !== null && list.nodeName.toLowerCase() === 'ol';
  const first = Number(list?.getAttribute('start') ?? 1) || 1;
  const position = list === null ? 0 : [...list.children].indexOf(item);
  const mark = isOrdered ? `${first + position}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return text === '' ? '' : `${mark}${text}\n`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
}

/** Only what would read as something else: `snake_case` and `1 < 2` stay as they are. */
function escapeText(text: string): string {
  return text
    .replace(/([*`])/g, '\\$1')
    .replace(/^(#{1,6} |>|[-+] |={3,}|-{3,})/gm, '\\$1')
    .replace(/^(\d+)\. /gm, '$1\\. ');
}

function fence(block: Element): string {
  const code = codeText(block).replace(/^\n|\s+$/g, '');
  if (code === '') return '';
  const classes = [block, ...block.querySelectorAll('code'), block.parentElement]
    .map((element) => element?.getAttribute('class') ?? '')
    .join(' ');
  const language =
    /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source|text)-|brush:\s*)([\w+#-]+)/.exec(classes)?.[1] ?? '';
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `\n\n${marks}${language}\n${code}\n${marks}\n\n`;
}

/** Some pages break the lines of code with elements. */
function codeText(node: Node): string {
  let text = '';
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === 3) text += child.nodeValue ?? '';
    else if (/^br$/i.test(child.nodeName)) text += '\n';
    else {
      const inner = codeText(child);
      const isLine = /^(div|p|li|tr)$/i.test(child.nodeName);
      text += isLine && !inner.endsWith('\n') ? `${inner}\n` : inner;
    }
  }
  return text;
}
