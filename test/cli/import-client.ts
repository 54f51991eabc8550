/** Imports spreadsheets on a running server, like a browser. The server may be another one for each request. */
import assert from 'node:assert/strict'
import { formatCsvLine } from '../../src/transfer/spreadsheets/files/write-csv.ts'
import { waitUntil } from '../waiting.ts'
import { carnetJson, type Served, type Settings } from './processes.ts'

const PASSWORD = 'eleven herons over the lake'
/** A signed-in person has 300 requests per minute. */
const LOOK_EVERY_MS = 250

/** Columns of a complete product. */
export const COLUMNS = [
  'productName',
  'sku',
  'brandName',
  'languages',
  'economicOperator.role',
  'economicOperator.legalName',
  'economicOperator.address',
  'economicOperator.country',
  'economicOperator.contactEmail',
  'fiberComposition',
  'countryOfManufacture',
  'careInstructions.en',
  'repair.repairable',
  'repair.sparePartsAvailable',
  'endOfLife.recyclingInstructions.en',
  'endOfLife.disposalInstructions.en',
  'weightGrams',
]
export const buildRow = (n: number, weight: number | string): string[] => [
  `Jacket ${n}`,
  `J-${n}`,
  'Testmarke',
  'en',
  'manufacturer',
  'Testmarke GmbH',
  'Werkstraße 1',
  'DE',
  'passport@testmarke.example',
  '100 % wool',
  'PT',
  'Wash at 30 °C.',
  'true',
  'false',
  'Take it to a collection point.',
  'Not in household waste.',
  String(weight),
]

/** Gives the account of `signUp` the largest plan. Returns a key for it. */
export async function createFullKey(settings: Settings): Promise<string> {
  await carnetJson(['accounts', 'set-plan', '1', '--plan', 'enterprise'], settings)
  const wanted = ['keys', 'create', '--account', '1', '--scope', 'full']
  return (await carnetJson<{ key: string }>(wanted, settings)).key
}

export type ImportClient = Awaited<ReturnType<typeof signUp>>

/** Sets up the first account of the server. */
export async function signUp(getServer: () => Served) {
  let cookie = ''
  const post = (path: string, body: URLSearchParams | FormData) => {
    const { url } = getServer()
    const headers = { cookie, origin: url, 'sec-fetch-site': 'same-origin' }
    return fetch(url + path, { method: 'POST', redirect: 'manual', headers, body })
  }
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(getServer().url + path, { headers: { cookie } })
    assert.equal(answer.status, 200, `${path}: ${answer.status}`)
    return answer
  }
  const { set_up_url } = JSON.parse(getServer().said.stdout) as { set_up_url: string }
  const token = new URL(set_up_url).searchParams.get('token') ?? ''
  const person = { token, name: 'Crash', email: 'owner@testmarke.example', password: PASSWORD }
  const answer = await post('/console/set-up', new URLSearchParams(person))
  assert.equal(answer.status, 303, await answer.text())
  cookie = String(answer.headers.getSetCookie()[0]).split(';')[0] ?? ''

  /**
   * Waits until `enough` accepts the number of rows done. The number is infinite once the page stops showing
   * progress.
   */
  async function waitForProgress(at: string, enough: (done: number) => boolean): Promise<number> {
    let done = 0
    const look = async () => {
      const text = await (await get(at)).text()
      const said = /<progress [^>]*value="(\d+)"/.exec(text)?.[1]
      done = said === undefined ? Number.POSITIVE_INFINITY : Number(said)
      return enough(done)
    }
    await waitUntil('the spreadsheet gets on', look, {
      everyMs: LOOK_EVERY_MS,
      explain: () => `after ${done} rows`,
    })
    return done
  }

  return {
    post,
    get,
    waitForProgress,

    /** Uploads a spreadsheet. Returns its address once it is checked. */
    async check(columns: readonly string[], rows: readonly string[][]): Promise<string> {
      const form = new FormData()
      form.set('category', 'textile')
      const text = [columns, ...rows].map(cells => formatCsvLine(cells)).join('')
      form.set('sheet', new Blob([text], { type: 'text/csv' }), 'Jackets.csv')
      const sent = await post('/console/import', form)
      assert.equal(sent.status, 303, await sent.text())
      const at = String(sent.headers.get('location'))
      const mapping = Object.fromEntries(columns.map((name, place) => [`c.${place}`, name]))
      const choices = { match_by: 'sku', mark: 'point', clears: 'keep', change_type: 'change' }
      const confirmed = await post(`${at}/columns`, new URLSearchParams({ ...mapping, ...choices }))
      assert.equal(confirmed.status, 303, await confirmed.text())
      await waitForProgress(at, done => done === Number.POSITIVE_INFINITY)
      return at
    },

    /** Counts of new, changed, unchanged and wrong rows, once the import has finished. */
    async readCounts(at: string): Promise<number[]> {
      await waitForProgress(at, done => done === Number.POSITIVE_INFINITY)
      const text = await (await get(at)).text()
      return Array.from(text.matchAll(/<dd>([\d,]+)<\/dd>/g), ([, n = '']) => Number(n.replace(',', '')))
    },
  }
}
