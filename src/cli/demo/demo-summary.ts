/** The text that the demo prints: addresses, password, key, and how to stop. */
import { alignColumns } from '../command-line/command.ts'
import { renderTerminalQr } from './terminal-qr.ts'

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
