import { Marked } from 'marked';
import { isSafeAddress } from './safe-address.ts';
import type { Arguments } from './schema.d.ts';

export default async function markdownToHtml({
  markdown,
  rawHtml = 'escape',
  breaks = false,
}: Arguments): Promise<string> {
  const marked = new Marked({
    gfm: true,
    breaks,
    renderer: {
      // Block and inline HTML, comments and declarations come here; nothing else writes a tag of the author's.
      html: ({ text }) => (rawHtml === 'escape' ? escapeHtml(text) : ''),
      link({ href, tokens }) {
        // false: marked's own rendering.
        return isSafeAddress(href) ? false : this.parser.parseInline(tokens);
      },
      image: ({ href, text }) => (isSafeAddress(href) ? false : escapeHtml(text)),
    },
  });
  return await marked.parse(markdown);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
