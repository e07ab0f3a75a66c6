/** Code whose types stand between « and »: with them, or as JavaScript. */
export function untyped(text: string, isJavaScript: boolean): string {
  return text.replace(/«\s?([^»]*)»/g, isJavaScript ? '' : '$1');
}

/** A stranger's text in such code: what marks types is escaped, and marks nothing. In comments it stays readable. */
export function unmarked(text: string): string {
  return text.replaceAll('«', '\\u00ab').replaceAll('»', '\\u00bb');
}
