/** The streams are the largest part of the guest: loaded when the first one is made. */
export function loadStreams(): typeof import('./streams.ts') {
  return require('./streams.ts') as typeof import('./streams.ts'); // esbuild resolves it to that module
}

/** Recognises a stream without loading the module: as long as it isn't loaded, there can be none. */
let recognise: (value: unknown) => boolean = () => false;
export function setStreamBrand(check: typeof recognise): void {
  recognise = check;
}

export function isStream(value: unknown): value is import('./streams.ts').ReadableStream<unknown> {
  return recognise(value);
}
