export const MAX_NAME_CHARS = 128;

/** Spaces and signs are common in the wild and the exports make names legal; what can't be printed is a trick. */
export function isPluginName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= MAX_NAME_CHARS &&
    !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) &&
    name.trim() === name &&
    name !== '__proto__'
  );
}
