/** Shows the progress of a long command: one changing line on a terminal, a line now and then in a log. */

const ON_TERMINAL_MS = 200
const ELSEWHERE_MS = 10_000

type ProgressLine = { update: (line: string) => void; clear: () => void }

export function showProgress(out: NodeJS.WriteStream): ProgressLine {
  const every = out.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS
  let toldAt = performance.now()
  let isLineOpen = false
  return {
    update(line) {
      const now = performance.now()
      if (now - toldAt < every) return
      toldAt = now
      isLineOpen = out.isTTY
      out.write(out.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
    },
    clear() {
      if (isLineOpen) out.write('\r\u001b[K')
    },
  }
}
