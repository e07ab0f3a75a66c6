import { DEFAULT_LIMITS, type Limits } from './limits.ts';

/** Every limit's name, in the order of their declaration. */
// The keys of a complete `Limits` literal: Object.keys loses that type.
export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as readonly (keyof Limits)[];

export interface LimitWarning {
  /** JSON Pointer into the plugin's schema.json. */
  readonly path: string;
  readonly message: string;
}

export interface ResolvedLimits {
  readonly limits: Limits;
  readonly warnings: readonly LimitWarning[];
}

/**
 * The limits in force for one plugin: its own where it sets some, else the defaults, all cut at the ceilings.
 * Only a plugin's own value that was cut is worth a warning.
 */
export function resolveLimits(defaults: Limits, ceilings: Limits, own: Partial<Limits> = {}): ResolvedLimits {
  const limits: Record<keyof Limits, number> = { ...defaults };
  const warnings: LimitWarning[] = [];
  for (const name of LIMIT_NAMES) {
    const asked = own[name];
    const ceiling = ceilings[name];
    limits[name] = Math.min(asked ?? defaults[name], ceiling);
    if (asked !== undefined && asked > ceiling) {
      warnings.push({
        path: `/limits/${name}`,
        message: `${name} ${asked} is above the ceiling of ${ceiling} that the registry's config sets; ${ceiling} is in force.`,
      });
    }
  }
  return { limits, warnings };
}
