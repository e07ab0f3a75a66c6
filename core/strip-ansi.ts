/** CSI (colours, cursor, clearing), and what chooses a character set. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_SEQUENCE = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B[ -/]+[0-~]/g;
/** OSC, DCS, SOS, PM and APC: titles, links, the clipboard. They end with BEL or ST, and hold no control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROL_STRING = /(?:\u001B[PX\]^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u001B\\|\u009C)/gu;

/**
 * Text without ECMA-48's escape sequences, whole: where ESC alone goes, the rest of `ESC[31m` is left to be read. What is
 * no whole sequence stays, ESC and all, for whoever takes out single characters; so does one that only comes of what was
 * taken out of its middle. Strangers write the text, so no part of
 * a pattern can match what another one of it matches: the time goes by the length alone.
 */
export function stripAnsi(text: string): string {
  return text.replace(CONTROL_STRING, '').replace(CONTROL_SEQUENCE, '');
}
