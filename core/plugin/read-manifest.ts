import type { Manifest, Warning } from './manifest.ts';
export const MAX_SCHEMA_BYTES = 256 * 1024;
export type ManifestReading =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly { readonly path: string; readonly message: string }[] };
export function readManifest(text: string, defaults: { readonly name: string }): ManifestReading {
  try {
    const raw = JSON.parse(text);
    return {
      ok: true,
      warnings: [],
      manifest: {
        name: defaults.name,
        examples: [],
        annotations: {},
        permissions: {},
        limits: {},
        state: 'fresh',
        tags: [],
        ...raw,
      },
    };
  } catch (error) {
    return { ok: false, problems: [{ path: '', message: String(error) }] };
  }
}
