/** Structured logs on stderr: JSON, or lines for terminals; no secrets, no readers' addresses. */
import { write, writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import { escapeForTerminal } from '../values/characters.ts'
import { systemClock } from '../values/clock.ts'

export type Log = Logger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

const REDACTED = ['req.headers', 'headers.authorization', 'headers.cookie', '*.authorization', '*.cookie']

export function createLog(settings: { logLevel: LogLevel; logFormat: 'pretty' | 'json' }): Log {
  const options = {
    level: settings.logLevel,
    base: null,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: () => `,"time":"${systemClock.now().toISOString()}"`,
  }
  const lines = standardError()
  return pino(
    options,
    settings.logFormat === 'pretty' ? { write: line => lines.write(prettyLine(line)) } : lines,
  )
}

type LogLine = { level?: unknown; time?: unknown; msg?: unknown; err?: { stack?: string } }

function prettyLine(json: string): string {
  const { level, time, msg, err, ...rest }: LogLine = JSON.parse(json)
  const more = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
  const stack = err === undefined ? '' : `\n${err.stack ?? JSON.stringify(err)}`
  const label = pino.levels.labels[Number(level)] ?? String(level)
  const name = /error|fatal/.test(label) ? label.toUpperCase() : label
  return escapeForTerminal(
    `${String(time).slice(11, 19)} ${name} ${String(msg ?? '')}${more.join('')}${stack}\n`,
  )
}

const STDERR = 2
const MAX_WAITING_BYTES = 1024 * 1024
const RETRY_AFTER_MS = 20

/**
 * Drops lines that a full disk or a stopped reader does not accept. pino's own destination would wait
 * forever.
 */
function standardError(): DestinationStream {
  let waiting = ''
  /** The rest of a write, as bytes, because it may begin within a character. */
  let rest: Buffer = Buffer.alloc(0)
  let isWriting = false
  let isPlanned = false
  const next = () => {
    isPlanned = false
    if (isWriting || (waiting === '' && rest.length === 0)) return
    isWriting = true
    const bytes = take()
    write(STDERR, bytes, (error, written) => {
      isWriting = false
      const isToComeBack = error?.code === 'EAGAIN'
      if (isToComeBack) rest = bytes
      else if (error === null) rest = bytes.subarray(written)
      if (isToComeBack) setTimeout(next, RETRY_AFTER_MS).unref()
      else next()
    })
  }
  const take = () => {
    const bytes = Buffer.concat([rest, Buffer.from(waiting)])
    rest = Buffer.alloc(0)
    waiting = ''
    return bytes
  }
  // If a write is still pending, the reader has stopped.
  process.once('exit', () => {
    try {
      if (!isWriting) writeSync(STDERR, take())
    } catch {
      // The reader has closed the pipe, so the error cannot be reported.
    }
  })
  return {
    write(line) {
      if (rest.length + waiting.length + line.length <= MAX_WAITING_BYTES) waiting += line
      if (isPlanned) return
      isPlanned = true
      // The process's last lines are written at `exit`.
      setImmediate(next)
    },
  }
}
