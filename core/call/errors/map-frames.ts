/** Stacks are short; a text that is all frames is a plugin's game, and each look-up takes time of the host's. */
const MAX_FRAMES = 100;

const OWN_FRAME = /plugin\.js:\d+:\d+/g;
const GUEST_FRAME = /^\s+at .*glovebox:guest:\d+:\d+\)?$/;

/**
 * A log with stacks in it, as the plugin's author knows their places: `index.ts:12` for a place in the bundle, and
 * nothing of our own guest, through which each of its timers and listeners is called.
 */
export function mapFrames(text: string, locate: (stack: string) => string | undefined): string {
  if (!text.includes('plugin.js:') && !text.includes('glovebox:guest:')) return text;
  let frames = 0;
  return text
    .split('\n')
    .filter((line) => !GUEST_FRAME.test(line))
    .join('\n')
    .replace(OWN_FRAME, (place) => {
      frames += 1;
      return frames > MAX_FRAMES ? place : (locate(place) ?? place);
    });
}
