/** Shows the progress of a long command: one changing line on a terminal, a line now and then in a log. */

const ON_TERMINAL_MS = 200
const ELSEWHERE_MS = 10_000

/** Runs `work`, which may call `update` as often as it likes. */
export async function withProgress<T>(work: (update: (line: string) => void) => Promise<T>): Promise<T> {
  const out = process.stderr
  let shownAt = performance.now()
  let isLineOpen = false
  const update = (line: string) => {
    const now = performance.now()
    if (now - shownAt < (out.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS)) return
    shownAt = now
    isLineOpen = out.isTTY
    out.write(out.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
  }
  try {
    return await work(update)
  } finally {
    if (isLineOpen) out.write('\r\u001b[K')
  }
}

/** Shows a line at once. What `withProgress` shows stays below it. */
export const announce = (line: string): void => {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}\n` : `${line}\n`)
}

const WINDOW_MS = 60_000
const MIN_SAMPLE_MS = 10_000
const SAMPLE_INTERVAL_MS = 1_000

/**
 * Returns a function that says how many are done: `120 of 1746 passports, about 4 min left`. It names no time
 * before ten seconds or without a total.
 */
export function createCounter(noun: string, now?: () => number) {
  const estimate = createTimeEstimate(now)
  return (done: number, total?: number): string =>
    `${done}${total === undefined ? '' : ` of ${total}`} ${noun}${estimate(done, total)}`
}

/** Returns a function that says `, about 4 min left` at the speed of the last minute, or nothing. */
export function createTimeEstimate(now: () => number = () => performance.now()) {
  const samples: { at: number; done: number }[] = []
  return (done: number, total: number | undefined): string => {
    const at = now()
    const last = samples.at(-1)
    if (last === undefined || at - last.at >= SAMPLE_INTERVAL_MS) samples.push({ at, done })
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift()
    const first = samples[0] ?? { at, done }
    const ms = at - first.at
    if (total === undefined || ms < MIN_SAMPLE_MS || done <= first.done || done >= total) return ''
    return `, about ${formatDuration(((total - done) * ms) / (done - first.done))} left`
  }
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** As disks are sold: `4.2 MB`, `64 GB`. */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[power]}`
}

/** With commas: `3,300,000`. */
export const formatCount = (n: number): string => Math.round(n).toLocaleString('en')

/** Appends to a line what a folder has, and what it will have when `done` is `total`. */
export function describeGrowth(
  line: string,
  { files, bytes }: { files: number; bytes: number },
  { done, total }: { done: number; total?: number | undefined },
): string {
  const size = (times: number) => `${formatSize(bytes * times)} in ${formatCount(files * times)} files`
  const isEarly = total === undefined || done < MIN_SAMPLE_PASSPORTS || done >= total
  return `${line}; ${size(1)}${isEarly ? '' : `, about ${size(total / done)} at the end`}`
}

const MIN_SAMPLE_PASSPORTS = 20

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Times below twice a unit are in the smaller one. */
const UNITS = [
  { unit: 'h', ms: HOUR_MS, step: 0.5 },
  { unit: 'min', ms: MINUTE_MS, step: 1 },
] as const

/** Rounded, because it is an estimate: `20 s`, `4 min`, `3.5 h`. */
export function formatDuration(ms: number): string {
  for (const { unit, ms: size, step } of UNITS)
    if (ms >= 2 * size) return `${Math.round(ms / size / step) * step} ${unit}`
  return `${Math.max(10, Math.round(ms / 10_000) * 10)} s`
}
