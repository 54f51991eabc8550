/** Reads the states that concurrent changes start from: those of small passports share a statement. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import {
  getState,
  type PassportState,
  type StateRow,
  selectStates,
  stateColumns,
  toState,
} from '../core/state.ts'
import { MAX_SMALL_BYTES, selectSmallData } from '../read/look-up.ts'

type StateKey = { id: string; accountId: number }

/** `data` and `inherited` are null if they are large. */
type SmallStateRow = Omit<StateRow, 'data'> & { data: string | null }

/** As `getState`. */
export async function loadState(ctx: AccountContext, uuid: string): Promise<PassportState> {
  if (isTransaction(ctx.sql)) return getState(ctx, uuid)
  const row = await smallStates(ctx.sql)({ id: uuid, accountId: ctx.accountId })
  return row !== undefined && isComplete(row) ? toState(row) : getState(ctx, uuid)
}

const isComplete = (row: SmallStateRow): row is StateRow =>
  row.data !== null && (row.own === null || row.inherited !== null)

/** One statement at a time: it gets fuller. */
const smallStates = perDatabase((sql: Sql) =>
  createBatchLoader((keys: readonly StateKey[]) => readSmallStates(sql, keys), { maxInFlight: 1 }),
)

async function readSmallStates(sql: Sql, keys: readonly StateKey[]): Promise<(SmallStateRow | undefined)[]> {
  const ids = keys.map(({ id }) => id)
  const accounts = [...new Set(keys.map(({ accountId }) => accountId))]
  // Own fields that are large make the data large.
  const columns = stateColumns(sql, {
    data: selectSmallData(sql),
    own: sql`case when octet_length(p.own::text) <= ${MAX_SMALL_BYTES} then p.own::text end`,
    inherited: selectSmallData(sql, sql`null::jsonb`),
  })
  const rows = await sql<SmallStateRow[]>`${selectStates(sql, { ids, accounts }, columns)}`
  const found = new Map(rows.map(row => [keyOf({ id: row.id, accountId: row.account_id }), row]))
  return keys.map(key => found.get(keyOf(key)))
}

const keyOf = ({ id, accountId }: StateKey) => `${accountId} ${id}`
