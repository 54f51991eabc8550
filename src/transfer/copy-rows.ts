/** Reads and writes the rows of whole tables by COPY. */
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Sql } from '../kernel/db/database.ts'
import type { BackupTable } from './tables.ts'

/** Rows are collected into chunks of this size, because writing single rows is slow. */
const CHUNK_BYTES = 262_144

/**
 * The driver pauses its socket when rows arrive too fast, and resumes when the stream requests more. A
 * finished stream requests nothing, so `_read` must be called once: otherwise the connection would hang at
 * the next statement.
 */
export async function* readChunks(rows: Readable): AsyncGenerator<Buffer> {
  let rowBuffers: Buffer[] = []
  let length = 0
  for await (const row of rows) {
    rowBuffers.push(row)
    length += row.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(rowBuffers)
    rowBuffers = []
    length = 0
  }
  rows._read(0)
  if (length > 0) yield Buffer.concat(rowBuffers)
}

export type Sink = { write: (data: Buffer) => Promise<void>; close: () => Promise<void> }

export async function copyIn(
  sql: Sql,
  { name, columns }: BackupTable,
  progress?: (table: string, bytes: number) => void,
): Promise<Sink> {
  const stream: Writable = await sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
  const ended = finished(stream)
  ended.catch(() => undefined)
  let bytes = 0
  return {
    async write(data) {
      bytes += data.length
      progress?.(name, bytes)
      // Waits for the drain, because a chunk may be part of a larger buffer that the socket still has to
      // send.
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), ended])
    },
    async close() {
      stream.end()
      await ended
    },
  }
}
