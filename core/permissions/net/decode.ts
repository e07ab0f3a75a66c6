import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib';

/** What the host accepts in a plugin's name. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

const MOST_LAYERS = 2;

/**
 * The decoded body. It decodes no faster than it is read, so a bomb costs its reader's cap and no more. Undefined
 * for more layers than anybody sends in earnest. Unknown encodings are passed on as they are.
 */
export function decodeBody(body: Readable, contentEncoding: string | undefined): Readable | undefined {
  const layers = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > MOST_LAYERS) return undefined;
  let current = body;
  for (const layer of layers.reverse()) {
    const decoder = createDecoder(layer);
    if (!decoder) return current;
    // pipeline() ends the source when the decoder is destroyed, and the other way round.
    pipeline(current, decoder, () => undefined);
    current = decoder;
  }
  return current;
}

function createDecoder(layer: string) {
  // Browsers take a body that was cut after its last complete block; so does this.
  if (layer === 'gzip' || layer === 'x-gzip' || layer === 'deflate') {
    return createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  }
  if (layer === 'br') return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}
