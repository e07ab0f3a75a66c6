import { RE2JS } from 're2js';

/** A test for paths below the searched folder, in time linear in the path. */
export function compileGlob(glob: string): (relative: string) => boolean {
  const trimmed = glob.replace(/^\.?\//, '').replace(/\/$/, '/**');
  const byName = !trimmed.includes('/');
  const expression = RE2JS.compile(`^(?:${toExpression(trimmed)})$`, RE2JS.DOTALL);
  return (relative) => expression.test(byName ? relative.slice(relative.lastIndexOf('/') + 1) : relative);
}

function toExpression(glob: string): string {
  let expression = '';
  let braces = 0;
  for (let at = 0; at < glob.length; ) {
    const rest = glob.slice(at);
    const set = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      expression += '(?:[^/]+/)*';
      at += 3;
    } else if (rest.startsWith('**')) {
      expression += '.*';
      at += 2;
    } else if (rest.startsWith('*')) {
      expression += '[^/]*';
      at += 1;
    } else if (rest.startsWith('?')) {
      expression += '[^/]';
      at += 1;
    } else if (set !== null && set[2] !== undefined && set[2] !== '') {
      expression += `[${set[1] === '' ? '' : '^/'}${set[2].replace(/[\\\]^[]/g, '\\$&')}]`;
      at += set[0].length;
    } else if (rest.startsWith('{') && rest.includes('}')) {
      expression += '(?:';
      braces += 1;
      at += 1;
    } else if (braces > 0 && (rest.startsWith('}') || rest.startsWith(','))) {
      expression += rest.startsWith(',') ? '|' : ')';
      if (rest.startsWith('}')) braces -= 1;
      at += 1;
    } else {
      const character = String.fromCodePoint(glob.codePointAt(at) ?? 0);
      expression += RE2JS.quote(character);
      at += character.length;
    }
  }
  if (braces > 0) throw new Error(`The glob ${JSON.stringify(glob)} opens a { that it does not close.`);
  return expression;
}
