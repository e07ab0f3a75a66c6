const MAX_CHARS = 2_000;
/** What is looked at of a stack, which may have any length; nobody's budget pays for it. */
const MAX_STACK_CHARS = 16_384;
/** The others are of whoever entered the isolate, which isolated-vm adds. */
const GUEST_FRAME = /^ {4}at .*\b(?:plugin\.js|glovebox:guest):\d+:\d+\)?$/;

/** What isolated-vm gives in the place of other objects and of symbols. */
const NO_ERROR = 'An object was thrown from supplied code within isolated-vm';

/**
 * A rejection that nobody handled, as the guest tells what a timer throws. It is isolated-vm's copy, which holds texts of
 * this realm: nothing of the plugin's runs when it is read.
 */
export function describeRejection(error: unknown): string {
  return `Uncaught (in promise) ${textOf(error).slice(0, MAX_CHARS)}`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack = '' } = error;
  if (message.startsWith(NO_ERROR)) return 'a value that is no Error';
  const frames = stack
    .slice(0, MAX_STACK_CHARS)
    .split('\n')
    .filter((line) => GUEST_FRAME.test(line));
  return [`${name.slice(0, 100)}: ${message.slice(0, MAX_CHARS)}`, ...frames].join('\n');
}
