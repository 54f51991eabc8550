/** Exports the lines of an account for the EU registry: models, then batches, then items. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { buildCirpass2Payload } from '../../standards/registry/cirpass2-payload.ts'
import { formatRegistryCsv, REGISTRY_CSV_HEADING } from '../../standards/registry/registry-csv.ts'
import type { RegistryLine } from '../../standards/registry/registry-line.ts'
import { checkDueEntries, type RegistrySetup } from './check-entries.ts'
import type { LineState } from './entry.ts'

/** `cirpass2`: payloads for the mock of the registry, `cirpass2-parents` those of its newer schema. */
export const LINE_FORMATS = ['jsonl', 'csv', 'cirpass2', 'cirpass2-parents'] as const
export type LineFormat = (typeof LINE_FORMATS)[number]

export type ExportOptions = {
  state: LineState
  format: LineFormat
  /** True if lines that are ready count as exported afterwards. */
  marks: boolean
}

type LineRow = { passport_id: string; version_no: number; checked_no: number; line: string }

const PAGE_SIZE = 500
/** Batches of due entries that are checked first, so that a small account need not wait for the worker. */
const MAX_CHECKED_BATCHES = 10
const LEVELS = ['m', 'b', 'i'] as const
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Yields the text page by page. A page is marked as exported when the next one is asked for: what was not
 * taken stays ready. A line that changes meanwhile becomes ready again.
 */
export async function* exportRegistryLines(
  setup: RegistrySetup,
  ctx: AccountContext,
  options: ExportOptions,
): AsyncGenerator<string> {
  for (const at of listAccountShards(ctx)) {
    let batches = 0
    await checkDueEntries(setup, at, () => batches++ < MAX_CHECKED_BATCHES)
  }
  if (options.format === 'csv') yield REGISTRY_CSV_HEADING
  for (const level of LEVELS) {
    for (const at of listAccountShards(ctx)) yield* exportLevel(at, level, options)
  }
}

async function* exportLevel(
  ctx: AccountContext,
  level: (typeof LEVELS)[number],
  { state, format, marks }: ExportOptions,
): AsyncGenerator<string> {
  for (let after = FIRST; ; ) {
    const rows = await readPage(ctx, level, state, after)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.passport_id
    const given = rows.flatMap(row => {
      const text = formatLine(row.line, format)
      return text === undefined ? [] : [{ row, text }]
    })
    if (given.length > 0) yield given.map(({ text }) => text).join('')
    if (state === 'ready' && marks)
      await markExported(
        ctx,
        given.map(({ row }) => row),
      )
    if (rows.length < PAGE_SIZE) return
  }
}

/** A line whose passport has changed since is left out until it is checked. */
const readPage = ({ sql, accountId }: AccountContext, level: string, state: LineState, after: string) =>
  sql<LineRow[]>`
    select passport_id, version_no, checked_no, line from registry_entry
    where account_id = ${accountId} and state = ${state} and level = ${level}::text::"char" and passport_id > ${after}
      and line is not null and (checked_no = change_no or ${state} <> 'ready')
    order by passport_id limit ${PAGE_SIZE}`

/** Undefined if the line has an identifier that the registry of the format does not take. */
function formatLine(line: string, format: LineFormat): string | undefined {
  if (format === 'jsonl') return `${line}\n`
  const parsed: RegistryLine = JSON.parse(line)
  if (format === 'csv') return formatRegistryCsv(parsed)
  const result = buildCirpass2Payload(parsed, format === 'cirpass2' ? '2026-04-29' : 'parents')
  return 'payload' in result ? `${JSON.stringify(result.payload)}\n` : undefined
}

/** Results name the version that was exported, even if the line has changed since. */
async function markExported({ sql, accountId, clock }: AccountContext, rows: readonly LineRow[]) {
  if (rows.length === 0) return
  const marked = rows.map(({ passport_id, version_no, checked_no }) => ({
    passport_id,
    version_no,
    checked_no,
  }))
  await sql`
    update registry_entry e set exported_no = i.version_no,
      state = case when e.state = 'ready' and e.checked_no = i.checked_no then 'exported' else e.state end,
      changed_at = case when e.state = 'ready' and e.checked_no = i.checked_no then ${clock.now()}::timestamptz
        else e.changed_at end
    from jsonb_to_recordset(${JSON.stringify(marked)}::text::jsonb) as i(passport_id uuid, version_no integer, checked_no integer)
    where e.account_id = ${accountId} and e.passport_id = i.passport_id`
}
