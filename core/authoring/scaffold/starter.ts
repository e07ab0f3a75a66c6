import type { PluginDraft } from './draft.ts';
import { toIdentifier, toTitle } from './plugin-name.ts';
import { exampleTest } from './test-text.ts';

/** A plugin that runs at once and shows each part, for its author to put their own in place. */
export function starterDraft(name: string, isJavaScript: boolean): PluginDraft {
  const own = name.split('.').at(-1) ?? name;
  return {
    manifest: {
      title: toTitle(own),
      description: `Repeats a text, with spaces between. Use it when a text is wanted several times over. Not for formatting or translating. Example: {"text": "hello", "times": 2}.`,
      parameters: {
        type: 'object',
        properties: {
          text: { type: 'string', minLength: 1, description: 'The text to repeat, e.g. "hello".' },
          times: { type: 'integer', minimum: 1, maximum: 10, default: 1, description: 'How often.' },
        },
        required: ['text'],
        additionalProperties: false,
      },
      returns: { type: 'string' },
      examples: [{ arguments: { text: 'hello', times: 2 }, result: 'hello hello' }],
      annotations: { readOnly: true, idempotent: true, openWorld: false },
    },
    files: new Map([isJavaScript ? ['index.js', javaScript(own)] : ['index.ts', typeScript(own)]]),
    test: exampleTest(isJavaScript),
    notes: ['Say in schema.json what it does, when to use it and when not: a model chooses by that.'],
  };
}

function typeScript(name: string): string {
  return `import type { Arguments, Context } from './schema.d.ts'; // written for you from schema.json

export default async function ${toIdentifier(name)}({ text, times = 1 }: Arguments, ctx: Context): Promise<string> {
  ctx.log.debug(\`repeating \${times} times\`);
  return Array.from({ length: times }, () => text).join(' ');
}
`;
}

function javaScript(name: string): string {
  return `/**
 * @param {import('./schema.d.ts').Arguments} args written for you from schema.json
 * @param {import('./schema.d.ts').Context} ctx
 */
export default async function ${toIdentifier(name)}({ text, times = 1 }, ctx) {
  ctx.log.debug(\`repeating \${times} times\`);
  return Array.from({ length: times }, () => text).join(' ');
}
`;
}
