/**
 * JSON text to values and back without touching numbers: one that a double can't hold exactly
 * (`12345678901234567890`) is carried along as its own digits.
 */
interface RawJson {
  readonly rawJSON: string;
}

interface LosslessJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
}

// cast: Node 24 has the JSON source text access proposal, the type library doesn't know it yet.
const Json = JSON as unknown as LosslessJson;

/** Undefined where the text is no JSON. */
export function parseLossless(text: string): { readonly value: unknown } | undefined {
  try {
    return {
      value: Json.parse(text, (_key, value, context) => {
        if (typeof value !== 'number' || context.source === undefined) return value;
        return JSON.stringify(value) === context.source ? value : Json.rawJSON(context.source);
      }),
    };
  } catch {
    return undefined;
  }
}

export function isRawNumber(value: unknown): value is RawJson {
  return Json.isRawJSON(value);
}
