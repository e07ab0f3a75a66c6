/**
 * Entry of a worker process. It starts with an empty environment and Node's permission model, gives up the rest of its
 * rights once isolated-vm is loaded, and does no I/O but on the two pipes to its supervisor.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { Engine } from './engine.ts';
import { Inbox } from './inbox.ts';
import { encodeFrame, ToHost } from './protocol.ts';

declare const GUEST_SOURCE: string;

const FROM_HOST = 3;
const TO_HOST = 4;

/** Experimental in Node 24, so the types lack it. */
interface DroppablePermission {
  has(scope: string): boolean;
  drop?(scope: string): void;
}

const [, , enginePath] = process.argv;
if (enginePath === undefined) throw new Error('the path of isolated-vm is missing');
const engine = createRequire(enginePath)(enginePath) as typeof ivm; // isolated-vm's own entry
const guestSource = `(function () {\n${GUEST_SOURCE}\n;return __guest.install;\n})()`;

function dropRights(): void {
  const permission = process.permission as DroppablePermission | undefined; // see the interface
  for (const scope of ['fs', 'addon', 'child', 'worker']) permission?.drop?.(scope);
}

/** The pipe is a blocking one, so a frame is written whole; its end means that the host is gone. */
function send(frame: Buffer): void {
  let written = 0;
  try {
    while (written < frame.length) written += writeSync(TO_HOST, frame, written);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}

const isolates = new Engine(engine, guestSource, send);
const inbox = new Inbox({
  fd: FROM_HOST,
  onFrame: (frame) => isolates.handle(frame),
  // `process.exit()` can hang behind a stuck isolate.
  onEnd: () => process.kill(process.pid, 'SIGKILL'),
  pending: () => isolates.pending,
});

dropRights();
send(encodeFrame(ToHost.ready, 0, { node: process.versions.node, v8: process.versions.v8 }, ''));
isolates.prepare();
inbox.open();
