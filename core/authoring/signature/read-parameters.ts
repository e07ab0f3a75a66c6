import path from 'node:path';
import { applyDefaults, applyDefaultTexts, applyDocs } from './apply-docs.ts';
import { compiler, type ts } from './compiler.ts';
import { readParameterText } from './constraints.ts';
import { COMMENT_TYPES, propertiesOf, typesFromComments } from './jsdoc-types.ts';
import { readDefaults } from './read-defaults.ts';
import type { Docs, ParameterDoc } from './read-docs.ts';
import { readLiteral } from './read-literal.ts';
import { type ReadProgram, readProgram } from './read-program.ts';
import type { Signature } from './signature.ts';
import { TypeSchemas } from './type-schemas.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface ParametersReading {
  readonly read: ReadProgram;
  readonly declaration: ts.SignatureDeclaration;
  readonly docs: Docs;
  readonly confineTo: string | undefined;
  readonly warn: (message: string) => void;
}

const CONTEXT_NAME = /^_?(ctx|context)$/i;
const CONTEXT_KEYS = new Set(['signal', 'session', 'progress', 'log', 'tools', 'storage']);

/** How the function takes its arguments, and the JSON Schema of them as one object. */
export function readParameters(
  reading: ParametersReading,
): Pick<Signature, 'style' | 'places' | 'parameters'> {
  const parameters = reading.declaration.parameters.filter(({ name }) => name.getText() !== 'this');
  const isContext = (index: number) => {
    const parameter = parameters[index];
    return parameter !== undefined && index > 0 && looksLikeContext(parameter);
  };
  const [first] = parameters;
  const isPlugin = parameters.length <= 1 || (parameters.length === 2 && isContext(1));
  if (first === undefined)
    return {
      style: 'object',
      places: [],
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    };
  if (isPlugin && takesObject(reading, first))
    return { style: 'object', places: [], parameters: objectSchema(reading, first) };
  const places = parameters.map((parameter, index) => ({
    name: nameOf(parameter, index),
    kind: isContext(index)
      ? ('context' as const)
      : parameter.dotDotDotToken
        ? ('rest' as const)
        : ('argument' as const),
  }));
  return { style: 'positional', places, parameters: positionalSchema(reading, parameters, places) };
}

function looksLikeContext({ name, type }: ts.ParameterDeclaration): boolean {
  if (type !== undefined && /\bContext$/.test(type.getText())) return true;
  if (!compiler.isObjectBindingPattern(name)) return CONTEXT_NAME.test(name.getText());
  return name.elements.every((element) => CONTEXT_KEYS.has((element.propertyName ?? element.name).getText()));
}

function nameOf({ name }: ts.ParameterDeclaration, index: number): string {
  return compiler.isIdentifier(name) ? name.text : `argument${index + 1}`;
}

function takesObject({ read, docs }: ParametersReading, parameter: ts.ParameterDeclaration): boolean {
  if (parameter.dotDotDotToken !== undefined) return false;
  if (compiler.isObjectBindingPattern(parameter.name)) return true;
  const { name } = parameter;
  if (compiler.isIdentifier(name) && propertiesOf(docs, name.text).size > 0) return true;
  const checker = read.program.getTypeChecker();
  return isObjectType(checker, checker.getTypeAtLocation(parameter));
}

function isObjectType(checker: ts.TypeChecker, type: ts.Type): boolean {
  const { Any, Unknown, Object: Structure, NonPrimitive, TypeParameter, Undefined } = compiler.TypeFlags;
  // Nothing is said of it: a plugin's function takes an object.
  if (type.flags & (Any | Unknown | TypeParameter)) return true;
  if (type.isUnion())
    return type.types.every((each) => (each.flags & Undefined) !== 0 || isObjectType(checker, each));
  if (type.isIntersection()) return type.types.some((each) => isObjectType(checker, each));
  const isList = checker.isArrayType(type) || checker.isTupleType(type);
  const isDate = ['Date', 'URL', 'RegExp'].includes(type.symbol?.name);
  return (
    (type.flags & (Structure | NonPrimitive)) !== 0 &&
    !isList &&
    !isDate &&
    type.getCallSignatures().length === 0
  );
}

function objectSchema(reading: ParametersReading, parameter: ts.ParameterDeclaration): Schema {
  const { docs, read, declaration } = reading;
  const checker = read.program.getTypeChecker();
  const taken = readDefaults(checker, declaration, parameter);
  const described = describedProperties(docs, declaration, parameter);
  let schema = openObject(structureOf(schemaOf(reading, parameter, described)));
  schema = addUntyped(reading, schema, [...taken.keys()], parameter);
  return applyDefaultTexts(applyDefaults(applyDocs(schema, described), taken), described);
}

/**
 * What `@param` says of properties: `args.city`, whatever the author calls the object where it has no name, and plain
 * `city` where no parameter is called so.
 */
function describedProperties(
  docs: Docs,
  declaration: ts.SignatureDeclaration,
  parameter: ts.ParameterDeclaration,
): ReadonlyMap<string, ParameterDoc> {
  const { name } = parameter;
  if (compiler.isIdentifier(name)) return propertiesOf(docs, name.text);
  const others = new Set(declaration.parameters.slice(1).map((each) => each.name.getText()));
  const roots = new Set(
    [...docs.parameters.keys()].flatMap((path) => (path.includes('.') ? [path.split('.')[0] ?? ''] : [])),
  );
  const described = new Map<string, ParameterDoc>();
  for (const [path, doc] of docs.parameters) {
    const [root = ''] = path.split('.');
    if (others.has(root)) continue;
    if (path.includes('.')) described.set(path.slice(root.length + 1), doc);
    else if (!roots.has(path)) described.set(path, doc);
  }
  return described;
}

/** A parameter without a type has names at most: those that the code takes out of it. */
function addUntyped(
  { warn }: ParametersReading,
  schema: Schema,
  names: readonly string[],
  parameter: ts.ParameterDeclaration,
): Schema {
  if ('properties' in schema || '$ref' in schema || 'anyOf' in schema || parameter.type !== undefined)
    return schema;
  if (names.length === 0) {
    warn(`"${nameOf(parameter, 0)}" has no type, so a model is not told what to send`);
    return { type: 'object' };
  }
  for (const name of names) warn(`"${name}" has no type, so a model is not told what to send`);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: [...names],
    additionalProperties: false,
  };
}

/** What the generator takes for comments of the object as a whole are the function's, or its first property's. */
function structureOf(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => STRUCTURE.has(key)));
}

const STRUCTURE = new Set(
  'type properties required additionalProperties patternProperties propertyNames minProperties maxProperties anyOf oneOf allOf not enum const $defs $ref'.split(
    ' ',
  ),
);

function openObject(schema: Schema): Schema {
  return 'type' in schema || Object.keys(schema).length === 0 ? schema : { type: 'object', ...schema };
}

/** The schema of a parameter by its type: written beside it, in the comment, or known from where it is declared. */
function schemaOf(
  reading: ParametersReading,
  parameter: ts.ParameterDeclaration,
  described: ReadonlyMap<string, ParameterDoc> = new Map(),
): Schema {
  const { read, docs } = reading;
  const schemas = new TypeSchemas(read.program);
  if (parameter.type !== undefined) {
    const schema = schemas.of(parameter.type);
    return compiler.isTypeLiteralNode(parameter.type) ? structureOf(schema) : schema;
  }
  const checker = read.program.getTypeChecker();
  if (/\.[cm]?jsx?$/.test(read.source.fileName)) {
    const name = parameter.name.getText();
    const typed = [...described].filter(([path]) => !path.includes('.'));
    const whole = docs.parameters.get(name)?.type ?? compiler.getJSDocType(parameter);
    if (typed.length > 0) return fromComments(reading, described);
    if (whole !== undefined)
      return onlyProperty(fromComments(reading, new Map([['it', { ...EMPTY_DOC, type: whole }]])));
  }
  const type = checker.getTypeAtLocation(parameter);
  const declaration = type.aliasSymbol?.declarations?.[0] ?? type.symbol?.declarations?.[0];
  if (declaration !== undefined && isTypeDeclaration(declaration)) return schemas.of(declaration);
  return ofInitializer(checker, parameter);
}

const EMPTY_DOC: ParameterDoc = { text: '', isOptional: false, defaultText: undefined, type: undefined };

function onlyProperty(schema: Schema): Schema {
  const { properties, $defs } = schema;
  const found: unknown = Object.values(Object(properties))[0];
  const inner = typeof found === 'object' && found !== null ? found : {};
  return { ...inner, ...($defs === undefined ? {} : { $defs }) };
}

function fromComments(
  { read, confineTo }: ParametersReading,
  members: ReadonlyMap<string, ParameterDoc>,
): Schema {
  const file = path.join(path.dirname(read.source.fileName), '__types_of_comments.ts');
  const virtual = new Map([[file, typesFromComments(read.source, members)]]);
  const { program } = readProgram(read.source.fileName, confineTo, virtual);
  const declaration = program
    .getSourceFile(file)
    ?.statements.filter(compiler.isInterfaceDeclaration)
    .find(({ name }) => name.text === COMMENT_TYPES);
  return declaration === undefined ? {} : new TypeSchemas(program).of(declaration);
}

function isTypeDeclaration(node: ts.Declaration): boolean {
  return (
    compiler.isInterfaceDeclaration(node) ||
    compiler.isTypeAliasDeclaration(node) ||
    compiler.isTypeLiteralNode(node)
  );
}

/** `days = 3` is a number. */
function ofInitializer(checker: ts.TypeChecker, { initializer }: ts.ParameterDeclaration): Schema {
  const literal = initializer === undefined ? undefined : readLiteral(checker, initializer);
  if (literal?.known !== true || literal.value === null) return {};
  return { type: Array.isArray(literal.value) ? 'array' : typeof literal.value };
}

function positionalSchema(
  reading: ParametersReading,
  parameters: readonly ts.ParameterDeclaration[],
  places: Signature['places'],
): Schema {
  const { read, docs, warn } = reading;
  const checker = read.program.getTypeChecker();
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  let definitions: Schema = {};
  for (const [index, parameter] of parameters.entries()) {
    const place = places[index];
    if (place === undefined || place.kind === 'context') continue;
    const doc = docs.parameters.get(place.name);
    const { $defs, ...own } = schemaOf(reading, parameter, propertiesOf(docs, place.name));
    definitions = { ...definitions, ...Object($defs) };
    const literal =
      parameter.initializer === undefined ? undefined : readLiteral(checker, parameter.initializer);
    const inner = applyDefaults(
      applyDocs(own, propertiesOf(docs, place.name)),
      readDefaults(checker, reading.declaration, parameter),
    );
    const schema = {
      ...inner,
      ...readParameterText(doc?.text ?? ''),
      ...(literal?.known === true ? { default: literal.value } : {}),
    };
    if (Object.keys(inner).length === 0)
      warn(`"${place.name}" has no type, so a model is not told what to send`);
    properties[place.name] = schema;
    const isOptional =
      parameter.questionToken !== undefined ||
      parameter.initializer !== undefined ||
      place.kind === 'rest' ||
      doc?.isOptional === true;
    if (!isOptional) required.push(place.name);
  }
  const whole: Schema = {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
  const complete = Object.keys(definitions).length === 0 ? whole : { ...whole, $defs: definitions };
  return applyDefaultTexts(complete, docs.parameters);
}
