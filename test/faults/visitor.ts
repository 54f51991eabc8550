/** A person who signs in by password again and again, and imports a spreadsheet each time. */
import { setTimeout as pause } from 'node:timers/promises'
import { findCategory } from '../../src/categories/catalogue.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { assert } from '../../src/kernel/errors/errors.ts'
import { listColumns } from '../../src/transfer/spreadsheets/columns/columns.ts'
import { buildRow, collectLayout } from '../../src/transfer/spreadsheets/columns/passport-to-row.ts'
import { formatCsvLine } from '../../src/transfer/spreadsheets/files/write-csv.ts'
import { bodyOf } from '../fill-database.ts'
import { type Answer, RequestLog } from './request-log.ts'

/** Two chunks of an import. */
const ROWS = 300
const WAIT_MS = 200
const BETWEEN_MS = 500
const IMPORT_TRIES = 600
type Person = {
  account: number
  email: string
  password: string
  /** The account's shard. */
  sql: () => Sql
}

export class Visitor {
  readonly signIns = new RequestLog()
  /** Pages of a signed-in person. */
  readonly pages = new RequestLog()
  readonly imports = new RequestLog()
  /** The SKUs of imports that were reported as done. */
  readonly skus: string[] = []
  readonly faulty: string[] = []
  private readonly url: () => string
  private readonly person: Person
  private cookie = ''
  private isStopping = false
  private running: Promise<unknown> = Promise.resolve()

  constructor(url: () => string, person: Person) {
    this.url = url
    this.person = person
  }

  start(): void {
    this.isStopping = false
    this.running = Promise.all([this.visit(), this.importAgain()])
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.running
  }

  private async visit(): Promise<void> {
    while (!this.isStopping) {
      const cookie = await this.signIn()
      if (cookie !== undefined) {
        this.cookie = cookie
        const page = await this.send(this.pages, 'GET', '/console/products')
        if (page !== undefined && page.status < 500 && page.status !== 200)
          this.faulty.push(`a session that was just begun got ${page.status} ${page.headers.get('location')}`)
      }
      await pause(BETWEEN_MS)
    }
  }

  private async signIn(): Promise<string | undefined> {
    const { email, password } = this.person
    const form = new URLSearchParams({ email, password })
    const answer = await this.send(this.signIns, 'POST', '/console/sign-in', form)
    if (answer === undefined || answer.status >= 500) return undefined
    const [cookie = ''] = answer.headers.getSetCookie()
    if (answer.status === 303 && cookie !== '') return cookie.split(';')[0]
    this.faulty.push(`a right password was answered ${answer.status}`)
    return undefined
  }

  private async importAgain(): Promise<void> {
    for (let turn = 0; !this.isStopping; turn++) {
      if (this.cookie === '') await pause(WAIT_MS)
      else await this.importSheet(Array.from({ length: ROWS }, (_, n) => `SHEET-${turn}-${n}`))
    }
  }

  /** Every request is repeated until it is done, as a person would. */
  private async importSheet(skus: readonly string[]): Promise<void> {
    const { text, columns } = buildSheet(skus)
    const form = new FormData()
    form.set('category', 'textile')
    form.set('sheet', new Blob([text]), 'faults.csv')
    const path = await this.postUntilDone('/console/import', form, async () => false)
    if (path === undefined) return
    const mapping = Object.fromEntries(columns.map(({ name }, place) => [`c.${place}`, name]))
    const choices = { match_by: 'sku', mark: 'point', clears: 'keep', change_type: 'change' }
    const settings = new URLSearchParams({ ...mapping, ...choices })
    const isIn = (states: readonly string[]) => async () =>
      states.includes((await this.findState(path)) ?? '')
    await this.postUntilDone(`${path}/columns`, settings, isIn(['checking', 'checked']))
    if (!(await this.waitFor(path, 'checked'))) return
    await this.postUntilDone(`${path}/run`, new URLSearchParams(), isIn(['running', 'done']))
    if (await this.waitFor(path, 'done')) this.skus.push(...skus)
  }

  /** Returns where the answer leads. A request without an answer may have been done, as `isDone` knows. */
  private async postUntilDone(
    path: string,
    body: FormData | URLSearchParams,
    isDone: () => Promise<boolean>,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < IMPORT_TRIES; tries++) {
      const answer = await this.send(this.imports, 'POST', path, body)
      if (answer?.status === 303) return answer.headers.get('location') ?? ''
      if (await isDone()) return path
      if (this.isStopping && tries > 50) return undefined
      await pause(WAIT_MS)
    }
    this.faulty.push(`an import was never accepted at ${path}`)
    return undefined
  }

  private async waitFor(path: string, state: string): Promise<boolean> {
    for (let tries = 0; tries < IMPORT_TRIES; tries++) {
      if ((await this.findState(path)) === state) return true
      await pause(WAIT_MS)
    }
    this.faulty.push(`an import is still ${await this.findState(path)} instead of ${state}`)
    return false
  }

  private async findState(path: string): Promise<string | undefined> {
    const uuid = parseId(path.split('/').at(-1) ?? '') ?? ''
    const rows = await this.person.sql()<
      { state: string; failed: number }[]
    >`select state, failed from sheet_import where id = ${uuid}`.catch(() => [])
    if ((rows[0]?.failed ?? 0) > 0) this.faulty.push(`an import refused ${rows[0]?.failed} rows`)
    return rows[0]?.state
  }

  /** SKUs of finished imports that are not there once, as sentences. */
  async findMissing(): Promise<string[]> {
    const { skus } = this
    const rows = await this.person.sql()<{ sku: string; n: number }[]>`
      select sku, count(p.id)::int as n from unnest(${`{${skus}}`}::text::text[]) sku
      left join passport p using (sku) where p.account_id is null or p.account_id = ${this.person.account}
      group by sku having count(p.id) <> 1`
    return rows.map(({ sku, n }) => `the imported ${sku} is there ${n} times`)
  }

  private send(
    log: RequestLog,
    method: string,
    path: string,
    body?: FormData | URLSearchParams,
  ): Promise<Answer | undefined> {
    return log.send(`${this.url()}${path}`, {
      method,
      redirect: 'manual',
      headers: { origin: this.url(), 'sec-fetch-site': 'same-origin', cookie: this.cookie },
      ...(body && { body }),
    })
  }
}

function buildSheet(skus: readonly string[]) {
  const category = findCategory('textile')
  assert(category, 'there is the category textile')
  const layout = collectLayout(category)
  const all = skus.map((sku, n) => ({ ...bodyOf(n), sku }))
  for (const data of all) layout.add(data)
  const columns = listColumns(category, layout.layout())
  const rows = [columns.map(({ name }) => name), ...all.map(data => buildRow(data, columns))]
  return { text: rows.map(row => formatCsvLine(row)).join(''), columns }
}
