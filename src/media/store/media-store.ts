/** Where the bytes of files are kept: a folder, or an S3-compatible bucket. Objects never change. */
import { AppError } from '../../kernel/errors/errors.ts'
import type { ByteRange, ReadRange } from './byte-range.ts'

/** Somebody has to free space first. */
const RETRY_AFTER_MS = 300_000

export class StoreFullError extends AppError {
  constructor() {
    super(
      'unavailable',
      'The server has no room for files. The operator must free space; send the file again then.',
      undefined,
      RETRY_AFTER_MS,
    )
  }
}

export type MediaStore = {
  /** Where it is, without secrets, for messages. */
  place: string
  /**
   * When it returns, the object is complete and survives a power cut. Writing it again changes nothing.
   * Throws `StoreFullError`.
   */
  write(key: string, bytes: Uint8Array, type: string): Promise<void>
  /** Undefined if there is no such object. */
  read(key: string): Promise<Buffer | undefined>
  /** Reads only these bytes, unless the server of a bucket ignores ranges. Undefined as for `read`. */
  readRange(key: string, range: ByteRange): Promise<ReadRange | undefined>
  /** An object that is not there is no error. */
  delete(key: string): Promise<void>
  /** The keys of all objects, in no order. Holds some of them at a time. */
  listKeys(): AsyncIterable<string>
}
