const NOISE =
  'script,style,noscript,template,link,meta,base,iframe,object,embed,svg,canvas,dialog,button,select,input,textarea,[hidden],[aria-hidden="true"]';
/** How many elements may lie within each other; what walks a page calls itself for each. */
const DEEPEST = 400;

/** Takes out what is not read, and makes every address absolute. */
export function cleanDocument(document: Document, pageUrl: string): void {
  const base = resolve(document.querySelector('base')?.getAttribute('href') ?? '', pageUrl) ?? pageUrl;
  for (const element of document.querySelectorAll(NOISE)) element.remove();
  flatten(document);
  for (const link of document.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? '';
    const target = /^\s*#/.test(href) ? undefined : resolve(href, base);
    if (target === undefined) link.removeAttribute('href');
    else link.setAttribute('href', target);
  }
  for (const image of document.querySelectorAll('img')) {
    const source = image.getAttribute('data-src') ?? image.getAttribute('src') ?? '';
    const target = resolve(source, base);
    // An image without words says nothing to a reader of text.
    if (target === undefined || (image.getAttribute('alt') ?? '').trim() === '') image.remove();
    else image.setAttribute('src', target);
  }
}

function resolve(address: string, base: string): string | undefined {
  const url = URL.parse(address.trim(), base);
  return url !== null && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** Replaces what is nested too deeply by its text. */
function flatten(document: Document): void {
  let level: Element[] = [...document.children];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === DEEPEST) {
      for (const element of level) element.replaceWith(document.createTextNode(textOf(element)));
      return;
    }
    level = level.flatMap((element) => [...element.children]);
  }
}

/** Without recursion, which `textContent` uses. */
export function textOf(root: Element): string {
  const texts: string[] = [];
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.nodeType === 3) texts.push(node.nodeValue ?? '');
    else for (let child = node.lastChild; child !== null; child = child.previousSibling) stack.push(child);
  }
  return texts.join(' ');
}
