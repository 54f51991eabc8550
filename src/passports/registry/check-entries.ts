/** Compares the lines of passports that were written with what their passports say now. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { readRegistrySettings } from '../../accounts/account/registry-settings.ts'
import { forgetIssuer } from '../../accounts/issuer/issuer.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { RegistryLine } from '../../standards/registry/registry-line.ts'
import type { UnsignedSetup } from '../documents/setup.ts'
import { findPublicPassport, type PublicPassportRow } from '../read/find.ts'
import { prepareRegistryLine } from './build-line.ts'
import { decideEntry, type EntryLine, type StoredEntry } from './entry.ts'
import { markUnits } from './mark-entries.ts'

type Account = Pick<AccountContext, 'sql' | 'accountId'>
export type RegistrySetup = Omit<UnsignedSetup, 'sql'>

type DueEntry = StoredEntry & { passport_id: string; change_no: number }
type CheckedEntry = EntryLine & {
  passport_id: string
  change_no: number
  level: PublicPassportRow['level']
  old_state: StoredEntry['state']
}

const BATCH_SIZE = 100
/** How many passports of a batch are built at once, each with statements of its own. */
const CONCURRENCY = 10
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Checks the entries of one shard that are due, until none is or `goesOn` returns false, which is asked
 * between batches. An entry that changes meanwhile stays due.
 */
export async function checkDueEntries(
  setup: RegistrySetup,
  account: Account,
  goesOn: () => boolean | Promise<boolean>,
): Promise<void> {
  const { backupBaseUrl } = await readRegistrySettings(account.sql, account.accountId)
  // Its cached keys may be of before the change because of which the entries are due.
  forgetIssuer(account.sql, account.accountId)
  let after = FIRST
  while (await goesOn()) {
    const due = await findDue(account, after)
    const last = due.at(-1)
    if (last === undefined) return
    after = last.passport_id
    const checked: CheckedEntry[] = []
    for (let i = 0; i < due.length; i += CONCURRENCY) {
      const some = due.slice(i, i + CONCURRENCY)
      const entries = some.map(entry => checkEntry(setup, account, entry, backupBaseUrl))
      checked.push(...(await Promise.all(entries)).filter(entry => entry !== undefined))
    }
    await storeChecked(account, checked, setup.clock.now())
    if (due.length < BATCH_SIZE) return
  }
}

const findDue = ({ sql, accountId }: Account, after: string) => sql<DueEntry[]>`
  select passport_id, change_no, state, action, line, missing, version_no, exported_no, registered_no
  from registry_entry where account_id = ${accountId} and checked_no <> change_no and passport_id > ${after}
  order by passport_id limit ${BATCH_SIZE}`

/** Undefined if the passport is not there any more: its account is being moved. */
async function checkEntry(
  setup: RegistrySetup,
  account: Account,
  entry: DueEntry,
  backupBaseUrl: string | null,
): Promise<CheckedEntry | undefined> {
  const { sql } = account
  const { passport_id, change_no, state: old_state } = entry
  const row = await findPublicPassport(sql, passport_id)
  if (row === undefined) return undefined
  const build = await prepareRegistryLine({ ...setup, sql }, row, backupBaseUrl)
  const decided = decideEntry(entry, row, build)
  if (row.level !== 'i' && hasOtherIdentifier(entry, decided)) await markUnits(account, row)
  return { ...decided, passport_id, change_no, level: row.level, old_state }
}

/** The lines of units name the identifiers of their model and batch. */
function hasOtherIdentifier(before: StoredEntry, { line }: EntryLine): boolean {
  if (line === before.line || before.line === null) return false
  return findIdentifier(before.line) !== (line === null ? undefined : findIdentifier(line))
}

function findIdentifier(json: string): string {
  const line: RegistryLine = JSON.parse(json)
  return line.uniqueProductIdentifier
}

async function storeChecked({ sql, accountId }: Account, checked: readonly CheckedEntry[], now: Date) {
  if (checked.length === 0) return
  const ids = checked.map(({ passport_id }) => passport_id)
  // Writes of many passports mark their entries by id, too.
  await sql`
    with locked as materialized (
      select 1 from registry_entry where account_id = ${accountId} and passport_id = any(${ids}::text[]::uuid[])
      order by passport_id for no key update
    )
    update registry_entry e set checked_no = i.change_no, state = i.state, level = i.level, version_no = i.version_no,
      action = i.action, missing = i.missing, line = i.line,
      changed_at = case when i.state = i.old_state and e.changed_at is not null then e.changed_at else ${now}::timestamptz end,
      message = case when i.state = i.old_state then e.message end
    from jsonb_to_recordset(${JSON.stringify(checked)}::text::jsonb) as i(passport_id uuid, change_no integer, state text,
      old_state text, level "char", version_no integer, action text, missing text[], line text)
    where e.account_id = ${accountId} and e.passport_id = i.passport_id and e.change_no = i.change_no
      and e.state = i.old_state and (select count(*) from locked) >= 0`
}

/** How many entries are due on a shard. */
export async function countDue({ sql, accountId }: { sql: Sql; accountId: number }): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::bigint as n from registry_entry where account_id = ${accountId} and checked_no <> change_no`
  return row?.n ?? 0
}
