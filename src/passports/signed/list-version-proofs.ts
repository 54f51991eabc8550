/** Lists the proofs of all versions under an account's daily roots, reading each block of a tree once. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { buildMerkleProofs, proveSubtree } from '../../standards/signing/merkle-tree.ts'
import type { EntryFormat } from '../../standards/signing/version-entry.ts'
import { ENTRIES_PER_BLOCK, getEntryFormat, type StoredBlock, splitEntries } from '../core/root-blocks.ts'
import { buildEntryOf, listCommitments, type VersionCommitment } from './list-commitments.ts'
import { findEventNumber } from './list-log-heads.ts'

/** `since`: null for the first root. */
export type DailyRoot = { since: Date | null; until: Date; versions: number; root: Buffer }

/** Those whose time is after `after`, or all. Oldest first. */
export const listDailyRoots = (
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  { after }: { after: Date | null },
): Promise<DailyRoot[]> => sql<DailyRoot[]>`
  select since, until, versions, root from (
    select until, lag(until) over (order by until) as since, versions, root from daily_root
    where account_id = ${accountId}) r
  where ${after}::timestamptz is null or until > ${after} order by until`

/** The time stamp tokens (DER) of the roots that have one, oldest first. */
export const listRootTokens = ({ sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>) =>
  sql<{ until: Date; token: Buffer }[]>`
    select until, token from daily_root where account_id = ${accountId} and token is not null order by until`

/** `passport` is a UUID. */
export type ListedProof = VersionCommitment & {
  format: EntryFormat
  index: number
  siblings: Buffer[]
}

type Block = { number: number; first_passport: string; first_version: number; root: Buffer }
type Places = {
  number: number
  format: EntryFormat
  byEntry: ReadonlyMap<string, { place: number; below: Buffer[] }>
}

/** By passport and version. Leaves out a version that was stored after its root was made. */
export async function* listVersionProofs(
  ctx: AccountContext,
  commitKey: Buffer,
  { since, until }: DailyRoot,
): AsyncGenerator<ListedProof> {
  const { sql, accountId } = ctx
  const blocks = await sql<Block[]>`
    select number, first_passport, first_version, root from daily_root_block
    where account_id = ${accountId} and until = ${until} order by number`
  const roots = blocks.map(block => block.root)
  let places: Places | undefined
  let above: Buffer[] = []
  let number = 0
  for await (const one of listCommitments(ctx, commitKey, { since, until })) {
    while (isFrom(blocks[number + 1], one)) number++
    if (blocks[number] === undefined) return
    if (findEventNumber(one.versionNo) !== undefined) continue
    if (places?.number !== number) {
      places = await readPlaces(ctx, until, number)
      above = proveSubtree(roots, number)
    }
    const { format, byEntry } = places
    const found = byEntry.get(buildEntryOf(one, format).toString('latin1'))
    if (found === undefined) continue
    const { place, below } = found
    yield { ...one, format, index: number * ENTRIES_PER_BLOCK + place, siblings: [...below, ...above] }
  }
}

const isFrom = (block: Block | undefined, { passport, versionNo }: VersionCommitment): boolean =>
  block !== undefined &&
  (block.first_passport < passport || (block.first_passport === passport && block.first_version <= versionNo))

async function readPlaces(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  until: Date,
  number: number,
): Promise<Places> {
  const [block = { commitments: Buffer.alloc(0), entries: null }] = await sql<StoredBlock[]>`
    select commitments, entries from daily_root_block
    where account_id = ${accountId} and until = ${until} and number = ${number}`
  const entries = splitEntries(block)
  const { proofs } = buildMerkleProofs(entries)
  const byEntry = new Map(
    entries.map((entry, place) => [entry.toString('latin1'), { place, below: proofs[place] ?? [] }]),
  )
  return { number, format: getEntryFormat(block), byEntry }
}
