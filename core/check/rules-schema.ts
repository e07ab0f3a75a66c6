import { isRecord, pointerTo, resolvePointer } from '../schema/pointer.ts';
import type { Finding } from './finding.ts';
import { repairOf } from './repairs.ts';
import { findingAt, findingOf, rawPointer, type Subject } from './subject.ts';

/** What keeps the plugin from being loaded, and what was put right when it was read. */
export function checkSchema(subject: Subject): Finding[] {
  const { problems, warnings, loadProblems, loadWarnings, json, name } = subject;
  return [
    ...problems.map(({ path, message, line, column }): Finding => {
      const position =
        line === undefined ? (json?.at(path) ?? { line: 1, column: 1 }) : { line, column: column ?? 1 };
      return {
        ...{ rule: path.startsWith('/permissions') ? 'permissions' : 'schema', level: 'error' },
        ...{ plugin: name, file: json?.file ?? subject.dir, ...position },
        message: sentence(path, message),
        fix: fixOf(message, path),
      };
    }),
    ...warnings
      .filter(({ path }) => !isDescription(subject, path))
      .map((warning) => warningOf(subject, warning)),
    ...loadProblems.map((problem) =>
      findingOf(subject, problem, { rule: 'load', level: 'error', fix: loadFix(problem.message) }),
    ),
    ...loadWarnings.map((warning) =>
      warning.path === '' ? loadWarning(subject, warning.message) : warningOf(subject, warning),
    ),
    ...openArguments(subject),
    ...undescribed(subject),
  ];
}

/** The rules on descriptions tell more of a missing one. */
function isDescription(subject: Subject, pointer: string): boolean {
  return pointer === rawPointer(subject, '/description');
}

/** Paths of warnings are those of the file already. */
function warningOf(subject: Subject, { path, message }: { path: string; message: string }): Finding {
  const { json, name, dir } = subject;
  const repair = json === undefined ? undefined : repairOf(json.value, path);
  return {
    ...{ rule: 'schema/odd', level: 'warning', plugin: name, file: json?.file ?? dir },
    ...(json?.at(path) ?? { line: 1, column: 1 }),
    message: sentence(path, message),
    fix: repair?.text ?? 'write it as it is read, so that every reader takes it the same way',
    ...(repair === undefined ? {} : { safeFix: { kind: 'json', edits: repair.edits } }),
  };
}

const COMPOSED = ['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties', 'unevaluatedProperties'];

/** Without `additionalProperties: false` a mistyped optional name goes unnoticed. */
function openArguments(subject: Subject): Finding[] {
  const { manifest, json } = subject;
  if (manifest === undefined || json === undefined) return [];
  const { parameters } = manifest;
  if ('additionalProperties' in parameters || COMPOSED.some((keyword) => keyword in parameters)) return [];
  const pointer = rawPointer(subject, '/parameters');
  const written = resolvePointer(json.value, pointer);
  if (!isRecord(written) || !isRecord(written.properties)) return [];
  const path = [...pointer.split('/').slice(1), 'additionalProperties'];
  return [
    findingAt(subject, '/parameters', {
      ...{ rule: 'schema/open', level: 'warning' },
      message: 'parameters: a name that it does not list is accepted, so a mistyped one goes unnoticed',
      fix: 'add "additionalProperties": false',
      safeFix: { kind: 'json', edits: [{ path, value: false }] },
    }),
  ];
}

function undescribed(subject: Subject): Finding[] {
  const { manifest } = subject;
  const properties = manifest?.parameters.properties;
  if (!isRecord(properties)) return [];
  return Object.entries(properties)
    .filter(([, schema]) => isRecord(schema) && !hasDescription(schema))
    .map(([name]) =>
      findingAt(subject, pointerTo('/parameters/properties', name), {
        ...{ rule: 'description/parameter', level: 'warning' },
        message: `the parameter "${name.slice(0, 100)}" has no description: a model guesses what goes there`,
        fix: 'add a "description" that says what it means, its unit or format, and an example',
      }),
    );
}

function hasDescription({ description, $ref }: Record<string, unknown>): boolean {
  return typeof $ref === 'string' || (typeof description === 'string' && description.trim() !== '');
}

function sentence(path: string, message: string): string {
  return path === '' ? message : `${path} ${message}`;
}

function fixOf(message: string, path: string): string {
  if (/did you mean "/.test(message)) return 'use the name that was meant';
  if (path.startsWith('/permissions')) return 'write the permission in the form that it names';
  return path === '' ? 'make it valid' : 'write there what it asks for';
}

function loadFix(message: string): string {
  if (message.startsWith('there is no implementation')) return 'add the file';
  if (/could not resolve|can't be found|npm install/i.test(message))
    return "install the package in the plugin's directory, or correct the import";
  return 'correct the code there';
}

function loadWarning(subject: Subject, message: string): Finding {
  const place = placeIn(message);
  const fix = place.line === undefined ? 'do as it says' : 'change the code there';
  return findingOf(subject, place, { rule: 'load', level: 'warning', fix });
}

/** Warnings of the bundler begin with their place. */
function placeIn(message: string): { file?: string; line?: number; message: string } {
  const [, file, line, rest] = /^([^:\s]+):(\d+): (.*)$/s.exec(message) ?? [];
  return file === undefined || rest === undefined ? { message } : { file, line: Number(line), message: rest };
}
