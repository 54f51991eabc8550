/** A QR symbol for a terminal: two rows of modules a line, in colours of its own, so that it scans on dark and light grounds. */
import { correction, generate } from 'lean-qr'

/** Modules of white on each side, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4
/** Black and white of the fixed 6×6×6 cube: a theme may repaint the first sixteen colours, not these. */
const BLACK = 16
const WHITE = 231

/** The symbol of a text as lines of half blocks, without a line end after the last. */
export function renderTerminalQr(text: string): string {
  const code = generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.M })
  const colour = (x: number, y: number) => (code.get(x, y) ? BLACK : WHITE)
  const lines: string[] = []
  for (let y = -QUIET_ZONE; y < code.size + QUIET_ZONE; y += 2) {
    let line = ''
    for (let x = -QUIET_ZONE; x < code.size + QUIET_ZONE; x++) {
      line += `\u001b[38;5;${colour(x, y)};48;5;${colour(x, y + 1)}m▀`
    }
    lines.push(`${line}\u001b[0m`)
  }
  return lines.join('\n')
}
