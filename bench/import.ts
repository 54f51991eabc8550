/** `import`: a sheet of 10,000 models, XLSX, from the file to the last of them, against bare inserts of as many rows; the same sheet again. */
import { operatorActor } from '../src/accounts/actors.ts'
import { findCategory } from '../src/categories/catalogue.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { columnsOf } from '../src/transfer/columns.ts'
import { Breadth, dataRow } from '../src/transfer/data-row.ts'
import { getImport, openImport } from '../src/transfer/import.ts'
import { checkImport, importsEnded, runImport, takeImportFaults } from '../src/transfer/import-job.ts'
import { xlsxFile } from '../src/transfer/xlsx-file.ts'
import { bodyOf } from './loader.ts'
import type { Bench, Row } from './run.ts'
import { type Hall, median, type Tenant } from './stage.ts'
import { insert } from './sync.ts'
import { CALL } from './units.ts'

const MODELS = 10_000
/** Each takes a file through all three steps twice. */
const ROUNDS = 3

export const importRows: Bench = async stage => {
  const hall = await stage.hall('import')
  const bytes = await sheet()
  const rounds: Record<'bare' | 'read' | 'checked' | 'created' | 'unchanged', number>[] = []
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const mine = await stage.tenant(hall)
    const theirs = await stage.tenant(hall)
    const bare = await perSecond(async () => {
      for (let from = 0; from < MODELS; from += CALL) await insert(hall, theirs, from)
    })
    const { read, checked, run } = await bring(hall, mine, bytes)
    const again = await bring(hall, mine, bytes)
    rounds.push({ bare, read, checked, created: run, unchanged: again.run })
  }
  const of = (what: keyof (typeof rounds)[number]) => median(rounds.slice(1).map(round => round[what]))
  const row = (name: string, what: Exclude<keyof (typeof rounds)[number], 'bare'>): Row => ({
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
    row('import, again', 'unchanged'),
  ]
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return MODELS / ((performance.now() - started) / 1000)
}

async function bring({ sql }: Hall, { accountId }: Tenant, bytes: Buffer) {
  const operator = { sql, clock: systemClock }
  const ctx = { ...operator, accountId, actorId: await operatorActor(operator, accountId) }
  let id = ''
  const read = await perSecond(async () => {
    id = await openImport(ctx, { fileName: 'bench.xlsx', bytes, category: 'textile' })
  })
  const ended = async (begin: Promise<void>) => {
    await begin
    await importsEnded(sql)
    const [fault] = takeImportFaults(sql)
    if (fault !== undefined) throw fault.error
  }
  const { settings } = await getImport(ctx, id)
  const checked = await perSecond(() => ended(checkImport(ctx, id, settings)))
  const run = await perSecond(() => ended(runImport(ctx, id)))
  const { state, failed } = await getImport(ctx, id)
  if (state !== 'done' || failed > 0) throw new Error(`the sheet is ${state} with ${failed} rows refused`)
  return { read, checked, run }
}

async function sheet(): Promise<Buffer> {
  const category = findCategory('textile')
  if (category === undefined) throw new Error('there is the category textile')
  const breadth = new Breadth(category)
  const all = Array.from({ length: MODELS }, (_, i) => bodyOf(i))
  for (const data of all) breadth.add(data)
  const columns = columnsOf(category, breadth.extent)
  async function* rows() {
    yield columns.map(({ name }) => name)
    for (const data of all) yield dataRow(data, columns)
  }
  const pieces: Buffer[] = []
  for await (const piece of xlsxFile([{ name: 'Products', rows: rows() }])) pieces.push(piece)
  return Buffer.concat(pieces)
}
