import { Readability } from '@mozilla/readability';
import { DOMParser } from 'linkedom';
import { cleanDocument, textOf } from './clean-document.ts';
import { toMarkdown } from './to-markdown.ts';

export interface Page {
  readonly title: string | undefined;
  /** Lines about the page: who wrote it and when. */
  readonly facts: readonly string[];
  readonly markdown: string;
  readonly notes: readonly string[];
}

export interface PageOptions {
  /** Only the main content, where it can be told from the rest. */
  readonly main: boolean;
  readonly links: boolean;
}

/** Main content shorter than this, and than this share of the page, was probably guessed wrong. */
const LEAST_MAIN_CHARS = 250;
const LEAST_MAIN_SHARE = 0.1;
/** A page with scripts and less text than this is filled by them. */
const LEAST_TEXT_CHARS = 80;
/** Telling the main content from the rest costs some 0.1 ms an element. */
const MOST_ELEMENTS_TO_JUDGE = 20_000;
/** An element takes some 2 KB of memory. */
const MOST_ELEMENTS = 60_000;

export function htmlToPage(html: string, url: string, options: PageOptions): Page {
  const notes: string[] = [];
  const end = endOfElement(html, MOST_ELEMENTS);
  if (end !== undefined)
    notes.push(`The page has more than ${MOST_ELEMENTS} elements; what comes after them is missing.`);
  const document = parse(html.slice(0, end));
  const facts = factsOf(document);
  const title = titleOf(document);
  const hasScripts = document.querySelector('script') !== null;
  cleanDocument(document, url);
  const whole = document.body ?? document.documentElement;
  const length = oneLine(textOf(whole)).length;
  if (length < LEAST_TEXT_CHARS && hasScripts) {
    notes.push(
      'The page has almost no text of its own; scripts fill it in a browser, and they do not run here.',
    );
  }
  const markdownOf = (element: Element) => withoutTitle(toMarkdown(element, options.links), title);
  if (options.main) {
    const main = mainContent(document);
    const mainLength = main === undefined ? 0 : oneLine(textOf(main)).length;
    const isTooLittle =
      mainLength < length && (mainLength < LEAST_MAIN_CHARS || mainLength < length * LEAST_MAIN_SHARE);
    if (main !== undefined && !isTooLittle) return { title, facts, markdown: markdownOf(main), notes };
  }
  return { title, facts, markdown: markdownOf(whole), notes };
}

/** Where the element of that number begins; undefined where there are fewer. */
function endOfElement(html: string, number: number): number | undefined {
  let count = 0;
  for (const { index } of html.matchAll(/<[a-z]/gi)) {
    count += 1;
    if (count > number) return index;
  }
  return undefined;
}

function parse(html: string): Document {
  const source = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  // linkedom's own types stand aside from the DOM's, which it implements.
  return new DOMParser().parseFromString(source, 'text/html') as unknown as Document;
}

function mainContent(document: Document): Element | undefined {
  if (document.querySelectorAll('*').length > MOST_ELEMENTS_TO_JUDGE)
    return document.querySelector('main, [role="main"], article') ?? undefined;
  try {
    // It changes the document; a document's clone is one.
    const article = new Readability<Element>(document.cloneNode(true) as Document, {
      keepClasses: true,
      // With the default, an element of its own is written to text and read again.
      serializer: (node) => node as Element, // it is the article's own element
    }).parse();
    return article?.content ?? undefined;
  } catch {
    return undefined;
  }
}

function titleOf(document: Document): string | undefined {
  const candidates = [
    document.querySelector('meta[property="og:title"]')?.getAttribute('content'),
    document.querySelector('title')?.textContent,
    document.querySelector('h1')?.textContent,
  ];
  return candidates.map((text) => oneLine(text ?? '')).find((text) => text !== '');
}

const FACTS: readonly (readonly [label: string, selectors: readonly string[]])[] = [
  ['Site', ['meta[property="og:site_name"]']],
  ['By', ['meta[name="author"]']],
  ['Published', ['meta[property="article:published_time"]', 'meta[name="date"]']],
  ['Summary', ['meta[name="description"]', 'meta[property="og:description"]']],
];

function factsOf(document: Document): string[] {
  return FACTS.flatMap(([label, selectors]) => {
    const found = selectors
      .map((selector) => oneLine(document.querySelector(selector)?.getAttribute('content') ?? ''))
      .find((text) => text !== '');
    return found === undefined ? [] : [`${label}: ${found.slice(0, 500)}`];
  });
}

/** The title stands above already. */
function withoutTitle(markdown: string, title: string | undefined): string {
  const first = /^#{1,2} ([^\n]*)\n*/.exec(markdown);
  if (first === null || title === undefined || first[1] === undefined) return markdown;
  const heading = first[1].replace(/\\/g, '').trim();
  return heading === title || title.startsWith(heading) ? markdown.slice(first[0].length) : markdown;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
