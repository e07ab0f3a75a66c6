/** A wire format that tools are exported to. */
export type Target = 'openai' | 'responses' | 'anthropic' | 'gemini' | 'mcp';

export const TARGETS: readonly Target[] = ['openai', 'responses', 'anthropic', 'gemini', 'mcp'];

/** What a name (of a tool, or of a property) must look like. */
export interface NameRules {
  /** Matches one allowed character. */
  readonly character: RegExp;
  /** Matches an allowed first character, where that is narrower. */
  readonly first?: RegExp;
  readonly length: number;
}

/**
 * Which part of JSON Schema a target takes. Anything else is rewritten, or told in words in `description`,
 * never dropped in silence: arguments are validated against the tool's own schema anyway.
 */
export interface SchemaRules {
  /** Keywords that may stay. Undefined: all of draft 2020-12. */
  readonly keywords: ReadonlySet<string> | undefined;
  /** Keywords refused at the root only. */
  readonly rootRefused: ReadonlySet<string>;
  /** String formats that may stay. Undefined: all. */
  readonly formats: ReadonlySet<string> | undefined;
  /** `portable`: reads the same in other languages' engines. `regular`: no look-around and no back-reference besides. */
  readonly patterns: 'any' | 'portable' | 'regular';
  /** `bare`: a `$ref` has no siblings. `none`: there is no `$ref`. */
  readonly refs: 'any' | 'bare' | 'none';
  /** A union stands alone: base keywords go into its branches. */
  readonly unionsStandAlone: boolean;
  /** Values above which `minItems` is refused. */
  readonly largestMinItems?: number;
}

export interface TargetRules {
  readonly title: string;
  readonly toolName: NameRules;
  readonly propertyName: NameRules | undefined;
  /** Longest description of a tool, in characters. */
  readonly descriptionChars?: number;
  /** Most tools in one request. */
  readonly tools?: number;
  readonly schema: SchemaRules;
  /** Rules of the target's strict mode. Undefined: it has none. */
  readonly strict?: StrictRules;
}

export interface StrictRules {
  readonly schema: SchemaRules;
  /** Every property is listed in `required`; an optional one takes null instead of being left out. */
  readonly allRequired: boolean;
  readonly recursion: boolean;
  readonly limits: {
    readonly properties?: number;
    readonly depth?: number;
    readonly enumValues?: number;
    /** Characters of property names, definition names, enum and const values together. */
    readonly nameChars?: number;
    /** Characters of one enum with more than 250 values. */
    readonly largeEnumChars?: number;
  };
  /** Budget of one request, over all strict tools. */
  readonly request?: { readonly tools: number; readonly optional: number; readonly unions: number };
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const NONE: ReadonlySet<string> = new Set();

const word = (length: number): NameRules => ({ character: /[a-zA-Z0-9_-]/, length });
const PROPERTY: NameRules = { character: /[a-zA-Z0-9_.-]/, length: 64 };

/** The formats that both OpenAI's and Anthropic's grammars know. */
const GRAMMAR_FORMATS = 'date-time time date duration email hostname ipv4 ipv6 uuid';

const OPENAI_PLAIN: SchemaRules = {
  keywords: undefined,
  rootRefused: set('oneOf anyOf allOf enum const not'),
  formats: undefined,
  patterns: 'portable',
  refs: 'bare',
  unionsStandAlone: false,
};

const OPENAI_STRICT: SchemaRules = {
  keywords: set(
    'type properties required additionalProperties patternProperties items prefixItems enum const anyOf $ref $defs ' +
      'title description pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems',
  ),
  rootRefused: set('anyOf enum const'),
  formats: set(GRAMMAR_FORMATS),
  patterns: 'regular',
  refs: 'bare',
  unionsStandAlone: true,
};

const OPENAI: TargetRules = {
  title: 'OpenAI Chat Completions',
  toolName: word(64),
  propertyName: PROPERTY,
  descriptionChars: 1_024,
  tools: 128,
  schema: OPENAI_PLAIN,
  strict: {
    schema: OPENAI_STRICT,
    allRequired: true,
    recursion: true,
    limits: {
      properties: 5_000,
      depth: 10,
      enumValues: 1_000,
      nameChars: 120_000,
      largeEnumChars: 15_000,
    },
  },
};

const ANTHROPIC: TargetRules = {
  title: 'Anthropic Messages',
  toolName: word(64),
  propertyName: PROPERTY,
  schema: {
    keywords: undefined,
    rootRefused: set('oneOf anyOf allOf'),
    formats: undefined,
    patterns: 'portable',
    refs: 'any',
    unionsStandAlone: false,
  },
  strict: {
    schema: {
      keywords: set(
        'type properties required additionalProperties patternProperties items prefixItems enum const anyOf $ref $defs ' +
          'title description format minItems',
      ),
      rootRefused: set('anyOf enum const'),
      formats: set(`${GRAMMAR_FORMATS} uri`),
      patterns: 'regular',
      refs: 'bare',
      unionsStandAlone: true,
      largestMinItems: 1,
    },
    allRequired: false,
    recursion: false,
    limits: {},
    request: { tools: 20, optional: 24, unions: 16 },
  },
};

const GEMINI: TargetRules = {
  title: 'Gemini',
  toolName: { character: /[a-zA-Z0-9_-]/, first: /[a-zA-Z_]/, length: 64 },
  propertyName: { character: /[a-zA-Z0-9_]/, first: /[a-zA-Z_]/, length: 64 },
  tools: 512,
  schema: {
    keywords: set(
      'type properties required items enum const anyOf title description pattern format minimum maximum ' +
        'minItems maxItems minLength maxLength minProperties maxProperties',
    ),
    rootRefused: set('anyOf enum const'),
    formats: set('date-time float double int32 int64'),
    patterns: 'regular',
    refs: 'none',
    unionsStandAlone: true,
  },
};

const MCP: TargetRules = {
  title: 'MCP',
  toolName: { character: /[a-zA-Z0-9_.-]/, length: 128 },
  propertyName: undefined,
  schema: {
    keywords: undefined,
    rootRefused: NONE,
    formats: undefined,
    patterns: 'any',
    refs: 'any',
    unionsStandAlone: false,
  },
};

/** One table holds what each provider takes; nothing else in the code knows a provider's rule by heart. */
export const TARGET_RULES: Readonly<Record<Target, TargetRules>> = {
  openai: OPENAI,
  responses: { ...OPENAI, title: 'OpenAI Responses' },
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  mcp: MCP,
};
