/** Renders a QR code for a terminal. Its own colours make it readable on dark and light backgrounds. */
import { correction, generate } from 'lean-qr'

/** White modules on each side (ISO/IEC 18004). */
const QUIET_ZONE = 4
/** From the fixed 6×6×6 cube: themes change only the first sixteen colours. */
const BLACK = 16
const WHITE = 231

/** Lines of half blocks, two rows of modules each, without a final line end. */
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
