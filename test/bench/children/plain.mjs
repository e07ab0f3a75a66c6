/** A plugin's code with nothing around it: calls in, answers out. Its parent is openPlainProcess. */
import { pathToFileURL } from 'node:url';

const { default: run } = await import(pathToFileURL(process.argv[2]).href);
process.on('message', (n) => process.send(run({ n })));
process.on('disconnect', () => process.exit());
process.send('ready');
