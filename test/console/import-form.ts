/**
 * Imports spreadsheets by the console's own routes: reads the forms from the page and sends them like a
 * browser.
 */
import assert from 'node:assert/strict'
import { takeImportFailures, waitForImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { type Answer, type Browser, OWN, type Stand } from './stand.ts'

export async function upload(
  { app }: Stand,
  browser: Browser,
  bytes: Buffer,
  { name = 'Produkte.csv', category = 'textile', headers = OWN as Record<string, string> } = {},
): Promise<Answer> {
  const part = (head: string) => Buffer.from(`--xyz\r\nContent-Disposition: form-data; ${head}\r\n`)
  const payload = Buffer.concat([
    part('name="category"'),
    Buffer.from(`\r\n${category}\r\n`),
    part(`name="sheet"; filename="${name}"`),
    Buffer.from('Content-Type: application/octet-stream\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--xyz--\r\n'),
  ])
  const answer = await app.inject({
    method: 'POST',
    url: '/console/import',
    headers: {
      ...headers,
      'content-type': 'multipart/form-data; boundary=xyz',
      ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
    },
    payload,
  })
  return { status: answer.statusCode, headers: answer.headers as Record<string, string>, text: answer.body }
}

/** Uploads a spreadsheet and returns its address. */
export async function bring(
  stand: Stand,
  by: Browser,
  bytes: Buffer | string,
  ask: { name?: string; category?: string } = {},
): Promise<string> {
  const answer = await upload(stand, by, Buffer.from(bytes), ask)
  assert.equal(answer.status, 303, answer.text)
  return String(answer.headers.location)
}

/** A text of the page with its entities decoded. */
export const plain = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))

/** The fields of the columns form with their current values. */
export function formIn({ text }: Pick<Answer, 'text'>): Record<string, string> {
  const [, form = ''] = /<form[^>]*\/columns"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
  const fields: Record<string, string> = {}
  for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/g)) {
    const name = / name="([^"]*)"/.exec(attributes)?.[1]
    const isOff = attributes.includes('type="checkbox"') && !attributes.includes(' checked')
    if (name !== undefined && !isOff) fields[name] = plain(/ value="([^"]*)"/.exec(attributes)?.[1] ?? '')
  }
  for (const [, name = '', value = ''] of form.matchAll(
    /<textarea[^>]* name="([^"]*)"[^>]*>(.*?)<\/textarea>/gs,
  ))
    fields[name] = plain(value.replace(/^\n/, ''))
  for (const [, name = '', options = ''] of form.matchAll(
    /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  )) {
    const chosen = /value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options)
    fields[name] = plain(chosen?.[1] ?? '')
  }
  return fields
}

/** Sends the columns form, with `more` replacing some values. Returns the response. */
export async function sendColumns(
  by: Browser,
  at: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  return by.post(`${at}/columns`, { form: { ...formIn(await by.get(`${at}?columns=yes`)), ...more } })
}

export async function check(
  stand: Stand,
  by: Browser,
  at: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const answer = await sendColumns(by, at, more)
  assert.equal(answer.status, 303, /role="alert".*?<\/div>/s.exec(answer.text)?.[0] ?? answer.text)
  await waitForImports(stand.sql)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  return by.get(at)
}

export async function run(
  stand: Stand,
  by: Browser,
  at: string,
  form: Record<string, string> = {},
): Promise<Answer> {
  const answer = await by.post(`${at}/run`, { form })
  if (answer.status !== 303) return answer
  await waitForImports(stand.sql)
  assert.deepEqual(takeImportFailures(stand.sql), [])
  return by.get(at)
}

/** The counts of a result page: new, changed, unchanged, wrong. */
export const counts = ({ text }: Answer): number[] =>
  Array.from(
    (/<dl class="facts counts">.*?<\/dl>/s.exec(text)?.[0] ?? '').matchAll(/<dd>([\d,]+)<\/dd>/g),
    ([, n = '']) => Number(n.replace(',', '')),
  )

export async function download({ app }: Stand, browser: Browser, path: string): Promise<Buffer> {
  const answer = await app.inject({ url: path, headers: { cookie: String(browser.cookie) } })
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-disposition']), /^attachment/)
  return answer.rawPayload
}
