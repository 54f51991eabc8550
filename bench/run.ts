/**
 * `npm run bench [-- ROW…] [--json]`: prints each figure with its limit. Both are measured alternately in the
 * same run, as medians of five rounds.
 */
import { parseArgs } from 'node:util'
import { backupRows } from './backup.ts'
import { bulkRows } from './bulk.ts'
import { bytesRows } from './bytes.ts'
import { citusRows } from './citus.ts'
import { consoleRows } from './console.ts'
import { correctionRows } from './correction.ts'
import { createRows } from './create.ts'
import { dppRows } from './dpp.ts'
import { type Bench, openEnvironment } from './environment.ts'
import { fanOutRows } from './fan-out.ts'
import { curveRows, growthRows } from './growth.ts'
import { importRows } from './import.ts'
import { importPicturesRows } from './import-pictures.ts'
import { isolationRows } from './isolation.ts'
import { itemRows } from './item.ts'
import { largeBackupRows, largeRows } from './large.ts'
import { lcpRows } from './lcp.ts'
import { limitsRows } from './limits.ts'
import { pageRows } from './page.ts'
import { pastRows } from './past.ts'
import { pictureRows } from './picture.ts'
import { processesRows } from './processes.ts'
import { readRows } from './read.ts'
import { refreshRows } from './refresh.ts'
import { renderRows } from './render.ts'
import { resolverRows } from './resolver.ts'
import { scanRows } from './scans.ts'
import { syncRows } from './sync.ts'
import { listRow, patchRow } from './throughput.ts'
import { webhookRows } from './webhooks.ts'

const BENCHES: Record<string, Bench> = {
  read: readRows,
  create: createRows,
  page: pageRows,
  picture: pictureRows,
  lcp: lcpRows,
  dpp: dppRows,
  past: pastRows,
  resolver: resolverRows,
  render: renderRows,
  list: async stage => [await listRow(stage), ...(await growthRows(stage, 'list'))],
  patch: async stage => [await patchRow(stage)],
  search: stage => growthRows(stage, 'search'),
  growth: curveRows,
  bulk: bulkRows,
  correction: correctionRows,
  refresh: refreshRows,
  backup: backupRows,
  item: itemRows,
  limits: limitsRows,
  bytes: bytesRows,
  webhooks: webhookRows,
  fanout: fanOutRows,
  isolation: isolationRows,
  scans: scanRows,
  sync: syncRows,
  import: importRows,
  'import-pictures': importPicturesRows,
  console: consoleRows,
  processes: processesRows,
  citus: citusRows,
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, items: { type: 'string' }, folder: { type: 'string' } },
  allowPositionals: true,
})
const { folder } = values
const large = { items: Number(values.items ?? 2_000_000), folder: folder ?? '.' }
/** Too large to run with all others. */
const byName: Record<string, Bench> = {
  ...BENCHES,
  large: stage => largeRows(stage, large),
  'large-backup': stage => largeBackupRows(stage, large),
}
const unknown = positionals.filter(name => !Object.hasOwn(byName, name))
if (unknown.length > 0) {
  process.stderr.write(`No such row: ${unknown.join(', ')}. Rows are ${Object.keys(byName).join(', ')}.\n`)
  process.exit(2)
}

const stage = await openEnvironment(line => process.stderr.write(`${line}\n`), folder)
let isStopping = false
const stop = () => {
  if (!isStopping) stage.close().finally(() => process.exit(130))
  isStopping = true
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
try {
  if (!values.json) console.log(line(['row', 'ours', 'limit', 'ratio', 'unit']))
  for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHES)) {
    for (const row of (await byName[name]?.(stage)) ?? []) {
      if (values.json) console.log(JSON.stringify(row))
      else console.log(line([row.row, figure(row.ours), figure(row.limit), row.ratio.toFixed(2), row.unit]))
    }
  }
} finally {
  await stage.close()
}

function line([name = '', ours = '', limit = '', ratio = '', unit = '']: readonly string[]): string {
  return `${name.padEnd(34)}${ours.padStart(10)}${limit.padStart(10)}${ratio.padStart(8)}  ${unit}`
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
