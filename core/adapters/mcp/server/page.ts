import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Long enough for every ordinary list to be one page: some clients read no further. */
const PAGE_ITEMS = 250;
const MAX_CURSOR_CHARS = 4_096;

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor?: string;
}

/**
 * One page of a list that is ordered by its keys. The cursor holds the last key and not a position: what comes or goes
 * between two pages makes no item appear twice and hides none.
 *
 * @throws ProtocolError when the cursor is none of ours.
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  cursor: string | undefined,
): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after === undefined ? items : items.filter((item) => keyOf(item) > after);
  const page = rest.slice(0, PAGE_ITEMS);
  const last = page.at(-1);
  return last === undefined || page.length === rest.length
    ? { items: page }
    : { items: page, nextCursor: writeCursor(keyOf(last)) };
}

const MARK = 'after:';

function writeCursor(key: string): string {
  return Buffer.from(MARK + key).toString('base64url');
}

function readCursor(cursor: string): string {
  const text = cursor.length > MAX_CURSOR_CHARS ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(MARK) || writeCursor(text.slice(MARK.length)) !== cursor)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The cursor is not one that this server gave out.',
    );
  return text.slice(MARK.length);
}
