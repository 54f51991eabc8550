/** Structured logs on stderr: JSON lines for machines, one readable line each for a terminal; never a secret or an address of a reader. */
import { Writable } from 'node:stream'
import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock } from './clock.ts'
import type { LogLevel } from './config.ts'

export type Log = Logger

const REDACTED = ['req.headers', 'headers.authorization', 'headers.cookie', '*.authorization', '*.cookie']
const NAMES: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'ERROR',
  60: 'FATAL',
}

export function createLog(settings: { logLevel: LogLevel; logFormat: 'pretty' | 'json' }): Log {
  const options = {
    level: settings.logLevel,
    base: null,
    redact: { paths: REDACTED, censor: '[redacted]' },
    timestamp: () => `,"time":"${systemClock.now().toISOString()}"`,
  }
  return pino(
    options,
    settings.logFormat === 'pretty' ? prettyStream() : pino.destination({ fd: 2, sync: false }),
  )
}

function prettyStream(): DestinationStream {
  return new Writable({
    write(chunk, _encoding, done) {
      const { level, time, msg, err, ...rest } = JSON.parse(String(chunk)) as Record<string, unknown>
      const more = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
      const stack = err === undefined ? '' : `\n${(err as { stack?: string }).stack ?? JSON.stringify(err)}`
      const name = NAMES[Number(level)] ?? String(level)
      process.stderr.write(
        `${String(time).slice(11, 19)} ${name} ${String(msg ?? '')}${more.join('')}${stack}\n`,
        () => done(),
      )
    },
  })
}
