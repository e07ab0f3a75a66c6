import type { JsonProblem } from '../arguments/parse-arguments.ts';
import type { JsonExpectation } from '../arguments/scan-json.ts';
import type { Catalogue, MessageFacts } from './catalogue.ts';

export const ENGLISH: Catalogue = {
  prefix: 'Error: ',
  errors: {
    unknown_tool: {
      message: ({ tool }) => `There is no tool named "${tool}".`,
      hint: ({ suggestions, visible, hidden }) => {
        const meant = suggestions.length > 0 ? `Did you mean ${suggestions.map(quote).join(' or ')}? ` : '';
        if (visible.length === 0) return `${meant}No tool can be called here.`;
        if (hidden > 0) return `${meant}Call one of your tools by its exact name.`;
        return `${meant}Your tools are: ${visible.join(', ')}.`;
      },
    },
    malformed_arguments: {
      message: ({ tool, problem }) =>
        `The arguments for "${tool}" are not valid JSON (${describeJsonProblem(problem)}), so the call did not run.`,
      hint: () =>
        'Send one JSON object: double quotes around keys and texts, no trailing comma, no comment, nothing before or after it.',
    },
    truncated_arguments: {
      message: ({ tool }) =>
        `The arguments for "${tool}" were cut off before their end, so the call did not run.`,
      hint: () =>
        'The text stopped too early; no field was judged. Send the whole call again with shorter arguments, or split the work over several calls.',
    },
    invalid_arguments: {
      message: ({ tool }) => `The arguments for "${tool}" don't fit its parameters, so the call did not run.`,
      hint: () => 'Correct what is listed and call again; leave the rest as it is.',
    },
    not_approved: {
      message: ({ tool, reason, detail }) =>
        reason === 'refused'
          ? `The call of "${tool}" was refused, so it did not run${colon(detail)}${stop(detail)}`
          : `Nobody approved the call of "${tool}" in time, so it did not run.`,
      hint: ({ reason }) =>
        reason === 'refused'
          ? "Don't call it again for this; ask the user what to do instead."
          : 'Tell the user that the call waits for an approval, and call again only when they agree.',
    },
    permission_denied: {
      message: ({ tool, detail }) => `"${tool}" was not allowed to do that${colon(detail)}${stop(detail)}`,
      hint: () =>
        'Use a target that is allowed, or tell the user which permission is missing; only they can grant it.',
    },
    tool_error: {
      message: ({ tool, kind, detail, at }) =>
        `${TOOL_ERROR[kind](tool)}${place(at)}${detail || kind !== 'unknown' ? colon(detail) : ' and gave no reason'}${stop(detail)}`,
      hint: ({ kind, detail }) => (detail || kind !== 'unknown' ? TOOL_ERROR_HINT[kind] : NO_REASON_HINT),
    },
    not_found: {
      message: ({ tool, detail, at }) =>
        `"${tool}" did not find what it was asked for${place(at)}${colon(detail)}${stop(detail)}`,
      hint: () =>
        'Check the name, identifier or path in the arguments; look it up first if a tool can list what exists.',
    },
    invalid_result: {
      message: ({ tool, kind, detail, path }) =>
        kind === 'mismatch'
          ? `"${tool}" ran, but its answer is not of the form that it promises.`
          : `"${tool}" ran, but its answer can't be written as JSON${path ? ` at ${path}` : ''}${colon(detail)}${stop(detail)}`,
      hint: () =>
        "This is a fault in the tool, not in your call. What it does may have happened: don't repeat it blindly; go on without its answer.",
    },
    timeout: {
      message: ({ tool, limit, detail }) =>
        `"${tool}" was stopped: it took longer than ${duration(limit)}${colon(detail)}${stop(detail)}`,
      hint: () => 'Ask for less at a time (a smaller range, fewer items), or go on without it.',
    },
    cpu_limit: {
      message: ({ tool, limit, detail }) =>
        `"${tool}" was stopped: it computed for longer than ${duration(limit)}${colon(detail)}${stop(detail)}`,
      hint: () => 'Give it less to work on: a smaller input, a simpler pattern or expression.',
    },
    memory_limit: {
      message: ({ tool, limit, detail, at }) =>
        `"${tool}" was stopped${place(at)}: it used more than ${limit} MB of memory${colon(detail)}${stop(detail)}`,
      hint: () => 'Give it less to work on, or split the input over several calls.',
    },
    output_limit: {
      message: ({ tool, detail, resultBytes, logBytes }) => {
        const allowed = `${size(resultBytes)} of result${logBytes === undefined ? '' : `, ${size(logBytes)} of logs`}`;
        return `"${tool}" was stopped: it produced more output than it may${colon(detail || allowed)}${stop(detail)}`;
      },
      hint: () =>
        'Ask for less at a time: a filter, a smaller range, fewer fields. If that is no help, go on without it and tell the user about the limit.',
    },
    host_call_limit: {
      message: ({ tool, limit, detail }) =>
        `"${tool}" was stopped: it made more than ${limit} requests to the host in one call${colon(detail)}${stop(detail)}`,
      hint: () => 'Ask for less at a time: fewer items in one call.',
    },
    cancelled: {
      message: ({ tool, started }) =>
        started
          ? `The call of "${tool}" was cancelled while it ran.`
          : `The call of "${tool}" was cancelled before it ran.`,
      hint: ({ started }) =>
        started
          ? "Part of its work may be done. Don't repeat it unless you are asked to."
          : "Don't repeat it unless you are asked to.",
    },
    busy: {
      message: ({ tool, detail }) =>
        `"${tool}" has too many calls waiting, so this one did not run${colon(detail)}${stop(detail)}`,
      hint: () => 'Call it again a little later, with fewer calls at the same time.',
    },
    plugin_unavailable: {
      message: ({ tool, detail }) => `"${tool}" can't be called at the moment${colon(detail)}${stop(detail)}`,
      hint: () => 'Use another tool, or tell the user; it works again once its plugin loads.',
    },
    quarantined: {
      message: ({ tool, detail }) =>
        `"${tool}" is switched off because it kept crashing${colon(detail)}${stop(detail)}`,
      hint: () =>
        "Don't call it again; use another tool or tell the user. It comes back when its plugin is edited or released.",
    },
    sandbox_crashed: {
      message: ({ tool, started, detail }) =>
        started
          ? `The process that ran "${tool}" died during the call; whether its work was done is unknown${colon(detail)}${stop(detail)}`
          : `The process for "${tool}" died before the call began${colon(detail)}${stop(detail)}`,
      hint: ({ started }) =>
        started
          ? 'Check whether it took effect before you repeat it.'
          : 'Nothing was done; the call can be sent again.',
    },
    internal: {
      message: ({ tool }) => `The tool runtime itself failed while it handled the call of "${tool}".`,
      hint: () =>
        'This is a fault in the runtime, not in your call. Go on without it and tell the user; its log has the cause.',
    },
  },
  issue: ({ message }) => message,
  moreIssues: (count) => `and ${count} more`,
  argumentProblem: (problem, path) => {
    switch (problem.kind) {
      case 'not_an_object':
        return `The arguments must be one JSON object such as {"name": "value"}, not ${TYPE_NAMES[problem.received]}.`;
      case 'encoded_again':
        return 'The arguments are JSON text inside JSON text inside JSON text; send the object itself.';
      case 'too_long':
        return `The arguments are longer than ${problem.limit} characters.`;
      case 'too_deep':
        return `The arguments are nested deeper than ${problem.limit} levels.`;
      case 'duplicate_key':
        return `The key ${JSON.stringify(problem.key)} is given twice in one object; keep the one that is meant.`;
      case 'forbidden_key':
        return `${path}: the key "__proto__" is not allowed.`;
      case 'number_too_large':
        return `${path}: the number is too large to be held.`;
      case 'not_json':
        return `${path === '' ? 'The arguments hold' : `${path} is`} a value that JSON has no form for.`;
    }
  },
  repair: (kind, path) => {
    const at = path === '' ? 'The arguments' : path;
    switch (kind) {
      case 'empty_arguments':
        return 'There were no arguments; {} was used.';
      case 'double_encoded':
        return 'The arguments were JSON text inside a JSON string; the text was read.';
      case 'parsed_json_string':
        return `${at}: the JSON text was read as the value that it describes.`;
      case 'numeral_to_number':
        return `${at}: the text was read as the number that it spells.`;
      case 'text_to_boolean':
        return `${at}: the text was read as true or false.`;
      case 'dropped_null':
        return `${at}: null was taken as "not given".`;
    }
  },
  repeated: (count) =>
    `This is failure number ${count} of exactly this call. It will fail again as long as nothing is changed: change the arguments or do something else.`,
  notRunAgain: (count) =>
    `Exactly this call failed ${count} times, so it was not run again. Stop repeating it: change the arguments, use another tool, or tell the user what doesn't work.`,
  example: (json) => `A minimal valid call has these arguments: ${json}`,
  noValue: 'Done. The tool returned no value.',
  leftOut: (omitted, total, handle, from) => {
    const rest =
      handle === undefined ? '' : `; read on with read_more {"handle": "${handle}", "offset": ${from}}`;
    return `[... ${omitted} of ${total} characters left out${rest} ...]`;
  },
  page: ({ from, to, total, handle }) =>
    `[characters ${from} to ${to} of ${total}; read on with read_more {"handle": "${handle}", "offset": ${to}}]`,
  lastPage: ({ from, to, total }) => `[characters ${from} to ${to} of ${total}; this is the end]`,
  noSuchText:
    'No text is kept under this handle: it may have expired, or belong to another session. Call the tool again for a fresh result.',
  noSuchOffset: (total) =>
    `The offset is past the end: the text has ${total} characters, so the last offset is ${Math.max(0, total - 1)}.`,
  part: (kind, mimeType, bytes, name) =>
    `[${kind}${name === undefined ? '' : ` ${name}`}: ${mimeType}, ${bytes} bytes]`,
};

const TOOL_ERROR: Readonly<Record<MessageFacts['tool_error']['kind'], (tool: string) => string>> = {
  permission: (tool) => `"${tool}" reports that it was refused access`,
  timeout: (tool) => `"${tool}" reports that something it waited for took too long`,
  invalid_value: (tool) => `"${tool}" could not use a value that it was given`,
  network: (tool) => `"${tool}" could not reach a server that it needs`,
  unknown: (tool) => `"${tool}" failed`,
};

const TOOL_ERROR_HINT: Readonly<Record<MessageFacts['tool_error']['kind'], string>> = {
  permission:
    'The service or file behind the tool said no. Try a target that is open to it, or tell the user.',
  timeout: 'Try once more, or ask for less at a time.',
  invalid_value:
    'Check the values in the arguments against the description of the tool, change them and call again.',
  network: 'It may work again later: try once more, then go on without it.',
  unknown: "Read what it says and change the arguments if they are the cause; don't repeat the same call.",
};

const NO_REASON_HINT =
  "There is nothing to go by: try other arguments once; if it fails again, go on without it and tell the user that the tool's author must look into it.";

const EXPECTED: Readonly<Record<JsonExpectation, string>> = {
  value: 'a value was expected',
  key: 'a key in double quotes was expected',
  key_or_end: 'a key in double quotes or } was expected',
  colon: 'a colon was expected after the key',
  comma_or_end: 'a comma or the closing bracket was expected',
  end_of_text: 'the text should have ended',
  escape: 'this backslash sequence does not exist in JSON',
  control_character: 'a line break or control character in a text must be written as \\n or \\u',
  number: 'this is no JSON number',
  literal: 'true, false or null was expected',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a number',
  number: 'a number',
  string: 'a text',
  array: 'an array',
  object: 'an object',
};

function describeJsonProblem({ line, column, expected, found }: JsonProblem): string {
  const what = found === '' ? '' : `, found ${JSON.stringify(found)}`;
  return `line ${line}, column ${column}: ${EXPECTED[expected]}${what}`;
}

function quote(name: string): string {
  return `"${name}"`;
}

function colon(detail: string | undefined): string {
  return detail === undefined || detail === '' ? '' : `: ${detail}`;
}

/** The full stop, unless the quoted text brought its own. */
function stop(detail: string | undefined): string {
  return detail !== undefined && /[.!?…]$/.test(detail) ? '' : '.';
}

function place(at: string | undefined): string {
  return at === undefined ? '' : ` (${at})`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${milliseconds / 1_000} s`;
}

function size(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes} bytes`;
}
