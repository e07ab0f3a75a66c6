import type { Tool } from '../catalog/tool.ts';
import type { Locale } from '../config/config.ts';
import { compileValidator } from '../schema/validator.ts';
import type { Uncompilable, Validator } from './call.ts';
import type { Eventually } from './eventually.ts';

type Part = 'parameters' | 'returns';

/**
 * Compiles a tool's schemas at its first call and keeps them as long as that version lives: a fresh engine for each
 * version, so that nothing of an older one (an `$id`, say) is left.
 */
export class Validators {
  readonly #locale: Locale;
  readonly #compiled: Record<Part, WeakMap<Tool, Eventually<Validator | Uncompilable>>> = {
    parameters: new WeakMap(),
    returns: new WeakMap(),
  };

  constructor(locale: Locale) {
    this.#locale = locale;
  }

  for(tool: Tool, part: Part): Eventually<Validator | Uncompilable> {
    const known = this.#compiled[part].get(tool);
    if (known !== undefined) return known;
    const compiling = this.#compile(tool, part);
    this.#compiled[part].set(tool, compiling);
    compiling.then(
      (compiled) => this.#compiled[part].set(tool, compiled),
      // The next call tries again.
      () => this.#compiled[part].delete(tool),
    );
    return compiling;
  }

  async #compile(tool: Tool, part: Part): Promise<Validator | Uncompilable> {
    const schema = tool.manifest[part] ?? {};
    const compiled = await compileValidator(schema, {
      locale: this.#locale,
      subject: part === 'parameters' ? 'arguments' : 'result',
    });
    if (compiled.ok) return compiled.validator;
    return { uncompilable: `${part}: ${compiled.problems.map(({ message }) => message).join('; ')}` };
  }
}
