import type { FileHandle } from 'node:fs/promises';

const PIECE_BYTES = 65_536;

/**
 * At most so many bytes from the start of a file. What a file says of its size is no bound: it may grow meanwhile, and
 * those below /proc say 0 however much they give.
 */
export async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let total = 0;
  while (total < most) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, most - total));
    const { bytesRead } = await handle.read(piece, 0, piece.length, total);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(pieces, total);
}
