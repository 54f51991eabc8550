/** Stores what the EU registry has answered: for each line its state, and the number of its registration. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { ResultState, StoredEntry } from './entry.ts'

export type RegistryResultRow = {
  passport_id: string
  /** The hash of the line that the registry has answered. */
  version_no: number
  state: ResultState
  registration_id?: string | undefined
  proof_valid_until?: Date | undefined
  message?: string | undefined
}

/** `unchanged`: it was known already, or the registry has said something later. */
export type ResultOutcome = { outcome: 'stored' | 'unchanged' } | { error: AppError }

type Entry = Pick<StoredEntry, 'state' | 'action' | 'version_no' | 'exported_no' | 'registered_no'> & {
  passport_id: string
  registration_id: string | null
  proof_valid_until: Date | null
  message: string | null
  /** True if the line that waits has to name another action now. */
  is_due?: boolean
}

/** One outcome for each row, in their order. Nothing is stored of a row with an error. */
export async function storeRegistryResults(
  ctx: AccountContext,
  rows: readonly RegistryResultRow[],
): Promise<ResultOutcome[]> {
  const uuids = rows.map(row => parseId(row.passport_id))
  const outcomes: ResultOutcome[] = rows.map(() => ({ error: unknownError() }))
  const known = uuids.filter(uuid => uuid !== undefined)
  for (const at of listAccountShards(ctx)) {
    await withTransaction(at, async tx => {
      const entries = new Map((await lockEntries(tx, known)).map(entry => [entry.passport_id, entry]))
      const changed = new Set<Entry>()
      rows.forEach((row, i) => {
        const entry = entries.get(uuids[i] ?? '')
        if (entry === undefined) return
        const outcome = applyResult(entry, row)
        outcomes[i] = outcome
        if ('outcome' in outcome && outcome.outcome === 'stored') changed.add(entry)
      })
      await storeEntries(tx, [...changed])
    })
  }
  return outcomes
}

const lockEntries = ({ sql, accountId }: AccountContext, uuids: readonly string[]) => sql<Entry[]>`
  select passport_id, state, action, version_no, exported_no, registered_no, registration_id, proof_valid_until, message
  from registry_entry where account_id = ${accountId} and passport_id = any(${[...uuids]}::text[]::uuid[])
  order by passport_id for no key update`

/** Later answers have higher ranks; two of the same rank may replace each other. */
const RANKS: Readonly<Record<string, number>> = {
  exported: 0,
  submitted: 1,
  pending: 2,
  registered: 3,
  rejected: 3,
  deactivated: 3,
}

/** Changes the entry. */
function applyResult(entry: Entry, row: RegistryResultRow): ResultOutcome {
  const error = findError(entry, row)
  if (error !== undefined) return { error }
  // The line may have changed since it was exported: it waits or lacks something, and stays so.
  const isCurrent = entry.version_no === row.version_no && RANKS[entry.state] !== undefined
  const [now, told] = [RANKS[entry.state] ?? 0, RANKS[row.state] ?? 0]
  if (isCurrent && told < now) return { outcome: 'unchanged' }
  const next = {
    state: isCurrent ? row.state : entry.state,
    registered_no: row.state === 'registered' ? row.version_no : entry.registered_no,
    registration_id: row.registration_id ?? entry.registration_id,
    proof_valid_until: row.proof_valid_until ?? entry.proof_valid_until,
    message: isCurrent ? (row.message ?? null) : entry.message,
  }
  const isSame =
    Number(next.proof_valid_until) === Number(entry.proof_valid_until) &&
    (['state', 'registered_no', 'registration_id', 'message'] as const).every(
      name => next[name] === entry[name],
    )
  const is_due = entry.is_due || (!isCurrent && next.registered_no !== entry.registered_no)
  Object.assign(entry, next, { is_due })
  return { outcome: isSame ? 'unchanged' : 'stored' }
}

function findError(entry: Entry, { version_no, state }: RegistryResultRow): AppError | undefined {
  if (entry.exported_no === null)
    return new AppError(
      'version_conflict',
      'No line of this passport was exported yet, so the registry cannot have answered. Export it first.',
    )
  if (entry.exported_no !== version_no)
    return new AppError(
      'version_conflict',
      `The last line that was exported is of version ${entry.exported_no}, not ${version_no}. Send the result of that line.`,
    )
  const isDeactivating = entry.action === 'deactivate' || entry.state === 'deactivated'
  if (state === 'deactivated' && !isDeactivating)
    return new AppError(
      'version_conflict',
      'The line of this passport deactivates nothing. Archive the item first; its line then says "deactivate".',
    )
  if (state === 'registered' && isDeactivating && entry.version_no === version_no && entry.state !== 'ready')
    return new AppError(
      'version_conflict',
      'The line of this passport deactivates it. Send the state "deactivated", or "rejected".',
    )
  return undefined
}

const unknownError = () => new AppError('not_found', 'There is no such product with a line for the registry.')

async function storeEntries({ sql, accountId, clock }: AccountContext, entries: readonly Entry[]) {
  if (entries.length === 0) return
  await sql`
    update registry_entry e set state = i.state, registered_no = i.registered_no, registration_id = i.registration_id,
      proof_valid_until = i.proof_valid_until, message = i.message,
      change_no = e.change_no + case when i.is_due then 1 else 0 end,
      changed_at = case when e.state = i.state then e.changed_at else ${clock.now()}::timestamptz end
    from jsonb_to_recordset(${JSON.stringify(entries)}::text::jsonb) as i(passport_id uuid, state text, registered_no integer,
      registration_id text, proof_valid_until timestamptz, message text, is_due boolean)
    where e.account_id = ${accountId} and e.passport_id = i.passport_id`
}
