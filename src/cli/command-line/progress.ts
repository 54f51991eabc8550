/** How far a long command has come: one line that changes on a terminal, a line now and then in a log. */

const ON_TERMINAL_MS = 200
const ELSEWHERE_MS = 10_000

export type Progress = { tell: (line: string) => void; end: () => void }

export function progressOn(out: NodeJS.WriteStream): Progress {
  const every = out.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS
  let toldAt = performance.now()
  let isLineOpen = false
  return {
    tell(line) {
      const now = performance.now()
      if (now - toldAt < every) return
      toldAt = now
      isLineOpen = out.isTTY
      out.write(out.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
    },
    end() {
      if (isLineOpen) out.write('\r\u001b[K')
    },
  }
}
