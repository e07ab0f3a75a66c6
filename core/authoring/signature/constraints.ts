type Schema = Readonly<Record<string, unknown>>;

const NUMERIC = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems'.split(
    ' ',
  ),
);
const TEXT = new Set(['pattern', 'format']);

/** Is it a tag that says what values are allowed? */
export function isConstraint(tag: string): boolean {
  return NUMERIC.has(tag) || TEXT.has(tag) || tag === 'integer' || tag === 'asType';
}

/** `The day to ask for. @minimum 1 @maximum 7`: text, and tags that stand in it. */
export function readParameterText(text: string): Schema {
  const keywords: Record<string, unknown> = {};
  const description = text
    .replace(
      /\s*@([a-zA-Z]+)(?:[ \t]+([^@\s]+))?/g,
      (whole: string, tag: string, value: string | undefined) => {
        if (tag === 'integer' || (tag === 'asType' && value === 'integer')) keywords.type = 'integer';
        else if (value !== undefined && NUMERIC.has(tag) && Number.isFinite(Number(value)))
          keywords[tag] = Number(value);
        else if (value !== undefined && TEXT.has(tag)) keywords[tag] = value;
        else return whole;
        return '';
      },
    )
    .trim();
  return description === '' ? keywords : { description, ...keywords };
}
