/** The text that the demo prints: addresses, password, key, and how to stop. */
import { correction, generate } from 'lean-qr'
import { alignColumns } from '../command-line/command.ts'

export type DemoSummary = {
  url: string
  console_url: string
  email: string
  password: string
  api_key: string
  curl: string
  passport_url: string
  /** Null when the demo has no item. */
  item_url: string | null
  access_link: string
  passports: { models: number; batches: number; items: number }
  data: string
}

/** `forPhone` adds a QR code of the first passport's address. */
export function formatDemoSummary(sheet: DemoSummary, forPhone: boolean): string {
  const { models, batches, items } = sheet.passports
  const rows = alignColumns(
    [
      ['Console', sheet.console_url],
      ['', `${sheet.email}   ${sheet.password}`],
      ['API key', `${sheet.api_key}   (full)`],
      ['A passport', sheet.passport_url],
      ...(sheet.item_url === null ? [] : [['… of one item', sheet.item_url]]),
      ['Access link', sheet.access_link],
    ],
    '  ',
  )
  const symbol = forPhone
    ? `\n${renderTerminalQr(sheet.passport_url)}\n  Scan it with a phone in the same network to open that passport.\n`
    : ''
  return (
    `\nCarnet is up, with a demo account of ${models} models, ${batches} batches and ${items} items.\n\n${rows}\n\n` +
    `  The access link shows what a reader with a legitimate interest sees. Try the API:\n\n${sheet.curl}\n${symbol}\n` +
    `Stop with Ctrl-C. All data is in ${sheet.data}: delete that folder to start again.\n\n`
  )
}

/** White modules on each side (ISO/IEC 18004). */
const QUIET_ZONE = 4
/** From the fixed 6×6×6 cube: themes change only the first sixteen colours. */
const BLACK = 16
const WHITE = 231

/**
 * Lines of half blocks, two rows of modules each, without a final line end. Their own colours make them
 * readable on dark and light backgrounds.
 */
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
