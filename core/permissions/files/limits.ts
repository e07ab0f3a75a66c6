/** What the file operations of one call may use. */
export interface FileLimits {
  /** Bytes that one read may return. @defaultValue 10485760 */
  readonly readBytes: number;
  /** Bytes that one write may carry. @defaultValue 5242880 */
  readonly writeBytes: number;
  /** Bytes that a file may have after an append. @defaultValue 67108864 */
  readonly fileBytes: number;
  /** Bytes that one call may write in all. @defaultValue 67108864 */
  readonly totalWriteBytes: number;
  /** Entries that one listing may return or one recursive removal may touch. @defaultValue 10000 */
  readonly entries: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = {
  readBytes: 10_485_760,
  writeBytes: 5_242_880,
  fileBytes: 67_108_864,
  totalWriteBytes: 67_108_864,
  entries: 10_000,
};
