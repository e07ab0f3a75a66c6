/** Code whose types stand between « and »: with them, or as JavaScript. */
export function untyped(text: string, isJavaScript: boolean): string {
  return text.replace(/«\s?([^»]*)»/g, isJavaScript ? '' : '$1');
}
