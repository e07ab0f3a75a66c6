/** What the requests of one call may use. */
export interface NetLimits {
  /** Bytes of one decoded response body. @defaultValue 10485760 */
  readonly responseBytes: number;
  /** Bytes of all decoded response bodies of one call. @defaultValue 52428800 */
  readonly totalResponseBytes: number;
  /** Bytes of one request body. @defaultValue 4194304 */
  readonly requestBytes: number;
  /** Bytes of the headers of one response. @defaultValue 32768 */
  readonly headerBytes: number;
  /** Redirects of one request. @defaultValue 20 */
  readonly redirects: number;
  /** Requests that are open at one time. @defaultValue 32 */
  readonly openRequests: number;
}

export const DEFAULT_NET_LIMITS: NetLimits = {
  responseBytes: 10_485_760,
  totalResponseBytes: 52_428_800,
  requestBytes: 4_194_304,
  headerBytes: 32_768,
  redirects: 20,
  openRequests: 32,
};

/** Bytes of one `fetch.read` answer, before base64. */
export const CHUNK_BYTES = 65_536;
