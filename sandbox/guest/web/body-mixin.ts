/** The `Body` mixin of Request and Response. */
import urlencoded from 'whatwg-url/lib/urlencoded.js';
import { type Body, bodyBlob, loadMultipart } from './body.ts';
import { FormData } from './form-data.ts';
import { parseMimeType, serializeMimeType } from './mime-type.ts';
import { decodeUtf8 } from './utf8.ts';
import type { Interface } from './webidl.ts';

interface BodyOwner {
  readonly body: Body | undefined;
  readonly contentType: string | null;
}

/** Reads the state of an object of the interface; throws a TypeError for anything else. */
type OwnerOf = (value: unknown) => BodyOwner;

/** Adds the mixin's members; call it before `exposeInterface`. */
export function mixInBody(constructor: Interface, ownerOf: OwnerOf): void {
  const members = {
    get body(): unknown {
      return ownerOf(this).body?.stream ?? null;
    },
    get bodyUsed(): boolean {
      return ownerOf(this).body?.used ?? false;
    },
    async arrayBuffer(): Promise<ArrayBuffer> {
      return (await read(ownerOf(this))).slice().buffer as ArrayBuffer;
    },
    async blob(): Promise<unknown> {
      const owner = ownerOf(this);
      const type = parseMimeType(owner.contentType ?? '');
      return bodyBlob(await read(owner), type === undefined ? '' : serializeMimeType(type));
    },
    async bytes(): Promise<Uint8Array> {
      return (await read(ownerOf(this))).slice();
    },
    async formData(): Promise<FormData> {
      const owner = ownerOf(this);
      return toFormData(await read(owner), owner.contentType ?? '');
    },
    async json(): Promise<unknown> {
      return JSON.parse(decodeUtf8(await read(ownerOf(this))));
    },
    async text(): Promise<string> {
      return decodeUtf8(await read(ownerOf(this)));
    },
  };
  Object.defineProperties(constructor.prototype, Object.getOwnPropertyDescriptors(members));
}

async function read(owner: BodyOwner): Promise<Uint8Array> {
  return owner.body === undefined ? new Uint8Array() : owner.body.consume();
}

function toFormData(bytes: Uint8Array, contentType: string): FormData {
  const type = parseMimeType(contentType);
  if (type?.essence === 'multipart/form-data') {
    const boundary = type.parameters.get('boundary');
    const form = boundary === undefined ? undefined : loadMultipart().decodeMultipart(bytes, boundary);
    if (form !== undefined) return form;
    throw new TypeError('The body could not be parsed as multipart/form-data.');
  }
  if (type?.essence === 'application/x-www-form-urlencoded') {
    const form = new FormData();
    for (const [name, value] of urlencoded.parseUrlencodedString(decodeUtf8(bytes))) form.append(name, value);
    return form;
  }
  throw new TypeError(
    'The Content-Type is neither multipart/form-data nor application/x-www-form-urlencoded.',
  );
}
