/** The far side of `openForked`: one message in, one piece of raw isolated-vm, one message out. */
import { RAW, type RawKind } from '../sides/raw.ts';

const kind = process.argv[2] as RawKind | 'echo'; // its parent is openForked
const raw = kind === 'echo' ? undefined : await RAW[kind]();
process.on('message', (message) => {
  process.send?.(typeof message === 'number' && raw !== undefined ? raw.call(message) : message);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
