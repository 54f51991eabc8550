/**
 * `import`: upload, check, run and second check of an XLSX spreadsheet of models in a server's console,
 * compared with bare inserts of the same number of rows; and how long the product list takes meanwhile.
 */
import { findCategory } from '../src/categories/catalogue.ts'
import { parseId } from '../src/kernel/crypto/ids.ts'
import { listColumns } from '../src/transfer/spreadsheets/columns/columns.ts'
import { buildRow, collectLayout } from '../src/transfer/spreadsheets/columns/passport-to-row.ts'
import { writeXlsx } from '../src/transfer/spreadsheets/files/write-xlsx.ts'
import { bodyOf } from '../test/fill-database.ts'
import type { Bench, BenchRow } from './environment.ts'
import { type BenchDatabase, median, type Server, type Tenant } from './environment.ts'
import { signIn, type Visit } from './sign-in.ts'
import { insert } from './sync.ts'
import { CALL } from './units.ts'

const MODELS = 4_000
/** After one warm-up round. Each round takes the file through all steps twice. */
const ROUNDS = 2
const LOOK_EVERY_MS = 10

type Sheet = { bytes: Buffer; columns: string[] }
type Round = Record<'bare' | 'read' | 'checked' | 'created' | 'checkedAgain' | 'quiet' | 'meanwhile', number>

export const importRows: Bench = async stage => {
  const hall = await stage.openDatabase('import')
  const server = await stage.startServer(hall, 'ours.ts')
  const sheet = await makeSheet()
  const rounds: Round[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const mine = await stage.createTenant(hall)
    const theirs = await stage.createTenant(hall)
    const bare = await perSecond(async () => {
      for (let from = 0; from < MODELS; from += CALL) await insert(hall, theirs, from)
    })
    const { post } = await signIn(hall, server, mine)
    const visit = { hall, post }
    const { read, checked, path } = await uploadAndCheck(visit, sheet)
    const created = await run(visit, path)
    const { checked: checkedAgain } = await uploadAndCheck(visit, sheet)
    const quiet = await listWhile(server, mine, () => pause(1_000))
    const meanwhile = await listWhile(server, mine, async () => {
      await uploadAndCheck(visit, sheet)
    })
    rounds.push({ bare, read, checked, created, checkedAgain, quiet, meanwhile })
    stage.log(`import: round ${round} of ${ROUNDS} done`)
  }
  await server.stop()
  const of = (what: keyof Round) => median(rounds.slice(1).map(round => round[what]))
  const row = (name: string, what: keyof Round): BenchRow => ({
    row: name,
    ours: of(what),
    limit: of('bare'),
    ratio: of(what) / of('bare'),
    unit: `rows/s of a sheet of ${MODELS}, against bare inserts`,
  })
  return [
    row('import, file read', 'read'),
    row('import, checked', 'checked'),
    row('import', 'created'),
    row('import, checked again', 'checkedAgain'),
    {
      row: 'import, list meanwhile',
      ours: of('meanwhile'),
      limit: of('quiet'),
      ratio: of('meanwhile') / of('quiet'),
      unit: 'ms of GET /products in the same process, 95 of 100, against a quiet one',
    },
  ]
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return MODELS / ((performance.now() - started) / 1000)
}

type Browser = Pick<Visit, 'post'> & { hall: BenchDatabase }

async function uploadAndCheck({ hall, post }: Browser, { bytes, columns }: Sheet) {
  let path = ''
  const read = await perSecond(async () => {
    const form = new FormData()
    form.set('category', 'textile')
    form.set('sheet', new Blob([new Uint8Array(bytes)]), 'bench.xlsx')
    path = await post('/console/import', form)
  })
  const mapping = Object.fromEntries(columns.map((name, place) => [`c.${place}`, name]))
  const choices = { match_by: 'sku', mark: 'point', clears: 'keep', change_type: 'change' }
  const checked = await perSecond(async () => {
    await post(`${path}/columns`, new URLSearchParams({ ...mapping, ...choices }))
    await waitForState(hall, path, 'checked')
  })
  return { read, checked, path }
}

/** Runs the import and returns the rows per second. An import without changes cannot be run. */
function run({ hall, post }: Browser, path: string): Promise<number> {
  return perSecond(async () => {
    await post(`${path}/run`, new URLSearchParams())
    await waitForState(hall, path, 'done')
  })
}

async function waitForState({ sql }: BenchDatabase, path: string, state: string): Promise<void> {
  const uuid = parseId(path.split('/').at(-1) ?? '') ?? ''
  for (;;) {
    const [row] = await sql<{ state: string; failed: number }[]>`
      select state, failed from sheet_import where id = ${uuid}`
    if (row === undefined || row.failed > 0) throw new Error('rows were refused')
    if (row.state === state) return
    await pause(LOOK_EVERY_MS)
  }
}

/** Milliseconds within which 95 % of the lists arrived, requested one after another until `work` ends. */
async function listWhile(server: Server, { key }: Tenant, work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  let isDone = false
  const end = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const started = performance.now()
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/products?limit=25`, { headers })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the list was answered ${answer.status}`)
    times.push(performance.now() - started)
    await pause(LOOK_EVERY_MS)
  }
  await end
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

async function makeSheet(): Promise<Sheet> {
  const category = findCategory('textile')
  if (category === undefined) throw new Error('there is the category textile')
  const breadth = collectLayout(category)
  const all = Array.from({ length: MODELS }, (_, i) => bodyOf(i))
  for (const data of all) breadth.add(data)
  const columns = listColumns(category, breadth.layout())
  const names = columns.map(({ name }) => name)
  async function* rows() {
    yield names
    for (const data of all) yield buildRow(data, columns)
  }
  const pieces: Buffer[] = []
  for await (const piece of writeXlsx([{ name: 'Products', rows: rows() }])) pieces.push(piece)
  return { bytes: Buffer.concat(pieces), columns: names }
}
