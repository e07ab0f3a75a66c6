import type { FetchLike } from '@modelcontextprotocol/client';

const NEWLINE = 0x0a;

/**
 * `fetch` whose answers can't grow without end: a body may have `maxBytes`, and of an event stream, which may well go on
 * for ever, each event.
 */
export function boundedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const body = response.body.pipeThrough(isStream ? eventLimit(maxBytes) : bodyLimit(maxBytes));
    const bounded = new Response(body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
    // The SDK judges redirects by it, and a Response that is made has none.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

function bodyLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > maxBytes) controller.error(tooLarge(maxBytes));
      else controller.enqueue(chunk);
    },
  });
}

function eventLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        // An empty line ends an event; \r before it is no content.
        if (byte === NEWLINE && last === NEWLINE) length = 0;
        else length += 1;
        if (byte !== 0x0d) last = byte;
        if (length > maxBytes) return controller.error(tooLarge(maxBytes));
      }
      controller.enqueue(chunk);
    },
  });
}

function tooLarge(maxBytes: number): RangeError {
  return new RangeError(`the message has more than ${maxBytes} bytes`);
}
