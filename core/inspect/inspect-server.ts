import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebSocket } from 'ws';
import { MAX_INSPECT_BYTES } from '../../sandbox/protocol.ts';

/** What an inspector talks to. */
export interface InspectTarget {
  onMessage: ((text: string) => void) | undefined;
  onGone: (() => void) | undefined;
  attach(): Promise<void>;
  send(message: string): Promise<void>;
  detach(): Promise<void>;
}

export interface InspectServer {
  /** For the address bar of Chrome. */
  readonly url: string;
  /** What is inspected from now on; whoever is attached must attach anew. */
  use(target: InspectTarget): void;
  close(): Promise<void>;
}

/** Where Chrome looks by itself. */
const USUAL_PORT = 9_229;

/**
 * Serves Chrome DevTools on the loopback, as Node's own inspector does: a name that can't be guessed is the key, requests
 * by any other host name are refused (DNS rebinding), and one inspector is attached at a time.
 */
export async function startInspectServer(title: string, port = USUAL_PORT): Promise<InspectServer> {
  const { WebSocketServer } = await import('ws');
  const key = randomUUID();
  let target: InspectTarget | undefined;
  let attached: WebSocket | undefined;
  const http = createServer((request, response) => {
    const page = isLocal(request) ? pageFor(request, key, title) : undefined;
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(page === undefined ? '' : JSON.stringify(page));
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_INSPECT_BYTES });
  http.on('upgrade', (request, socket, head) => {
    if (!isLocal(request) || request.url !== `/${key}` || attached !== undefined) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => connect(client));
  });

  function connect(client: WebSocket): void {
    const current = target;
    if (current === undefined) return client.close(1013, 'the plugin is not loaded');
    attached = client;
    current.onMessage = (text) => client.send(text);
    current.onGone = () => client.close(1001, 'the plugin has been loaded anew; attach again');
    // Messages wait for the session: the first come with it.
    const ready = current.attach().catch(() => client.close(1011, 'the plugin could not be started'));
    client.on('message', (data) => void ready.then(() => current.send(String(data))));
    client.on('error', () => client.terminate());
    client.on('close', () => {
      if (attached === client) attached = undefined;
      current.onMessage = undefined;
      void current.detach();
    });
  }

  await listen(http, port);
  const { port: bound } = http.address() as AddressInfo; // listens on a port
  http.unref();
  return {
    url: `devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=127.0.0.1:${bound}/${key}`,
    use(next) {
      attached?.close(1001, 'the plugin has been loaded anew; attach again');
      target = next;
    },
    async close() {
      attached?.terminate();
      sockets.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
      });
    },
  };
}

/** The usual port, or any where that one is taken. */
async function listen(http: Server, port: number): Promise<void> {
  const on = (wanted: number) =>
    new Promise<boolean>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
      http.once('error', failed);
      http.listen(wanted, '127.0.0.1', () => {
        http.off('error', failed);
        resolve(true);
      });
    });
  if (!(await on(port))) await on(0);
}

function isLocal({ headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  return host === '127.0.0.1' || host === 'localhost' || host === '[::1]';
}

/** What chrome://inspect asks. */
function pageFor({ url = '', headers }: IncomingMessage, key: string, title: string): unknown {
  const address = `${headers.host}/${key}`;
  if (url === '/json/version') return { Browser: `glovebox/${process.version}`, 'Protocol-Version': '1.1' };
  if (url !== '/json' && url !== '/json/list') return undefined;
  return [
    {
      ...{ id: key, type: 'node', title: `glovebox: ${title}`, description: 'a plugin of glovebox' },
      webSocketDebuggerUrl: `ws://${address}`,
      devtoolsFrontendUrl: `devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=${address}`,
      url: `glovebox:///${encodeURIComponent(title)}`,
    },
  ];
}
