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
