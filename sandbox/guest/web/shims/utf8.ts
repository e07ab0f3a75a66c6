/** What the URL parser wants of TextEncoder and TextDecoder, without making the globals. */
export {
  utf8fromStringLoose as utf8Encode,
  utf8toStringLoose as utf8DecodeWithoutBOM,
} from '@exodus/bytes/utf8.js';
