/** Arguments as an object; undefined where the text is no JSON object. */
export function readArgumentsText(value: unknown): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value === '' ? '{}' : value) : value;
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined; // cast: checked
  } catch {
    return undefined;
  }
}
