/** Exports and imports the daily Merkle roots of an account, with the entries of their trees. */
import type { Sql } from '../../kernel/db/database.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { combineSubtrees, computeMerkleRoot } from '../../standards/signing/merkle-tree.ts'
import { SignatureError } from '../../standards/signing/signature-error.ts'
import { readTimeStampToken } from '../../standards/signing/timestamp.ts'
import { ENTRIES_PER_BLOCK, ENTRY_BYTES, splitEntries } from '../core/root-blocks.ts'

/** `root` in hex, `token` in base64, times as ISO 8601. */
export type DailyRootLine = {
  until: string
  versions: number
  root: string
  token: string | null
  stamped_at: string | null
  created_at: string
}

/** A subtree: its first passport and version, `root` in hex, all commitments or entries in base64. */
export type DailyRootBlockLine = {
  until: string
  number: number
  first_passport: string
  first_version: number
  root: string
  commitments: string
  /** Instead of commitments, which are empty then. Null or missing: the block is of format 1. */
  entries?: string | null
}

type ExportedRoot = { root: Omit<DailyRootLine, 'until'> & { until: Date }; blocks: AsyncGenerator<object> }

/** Oldest first, each with its blocks. `sql`: the account's home. */
export async function* exportDailyRoots(sql: Sql, accountId: number): AsyncGenerator<ExportedRoot> {
  const roots = await sql<ExportedRoot['root'][]>`
    select until, versions, encode(root, 'hex') as root, translate(encode(token, 'base64'), e'\n', '') as token,
      stamped_at, created_at
    from daily_root where account_id = ${accountId} order by until`
  for (const root of roots) yield { root, blocks: exportBlocks(sql, accountId, root.until) }
}

async function* exportBlocks(sql: Sql, accountId: number, until: Date): AsyncGenerator<object> {
  for (let number = 0; ; number++) {
    const [block] = await sql<object[]>`
      select until, number, first_passport, first_version, encode(root, 'hex') as root,
        translate(encode(commitments, 'base64'), e'\n', '') as commitments,
        translate(encode(entries, 'base64'), e'\n', '') as entries
      from daily_root_block where account_id = ${accountId} and until = ${until} and number = ${number}`
    if (block === undefined) return
    yield block
  }
}

/** Throws `validation` for a time stamp that is not over the root. */
export async function importDailyRoot(sql: Sql, accountId: number, line: DailyRootLine): Promise<void> {
  const root = Buffer.from(line.root, 'hex')
  const token = line.token === null ? null : Buffer.from(line.token, 'base64')
  if (token !== null) requireStamp(token, root, line)
  await sql`
    insert into daily_root (account_id, until, versions, root, token, stamped_at, created_at)
    values (${accountId}, ${line.until}, ${line.versions}, ${root}, ${token}, ${line.stamped_at}, ${line.created_at})`
}

function requireStamp(token: Buffer, root: Buffer, { until, stamped_at }: DailyRootLine): void {
  try {
    const time = readTimeStampToken(token, root)
    if (stamped_at !== null && time.getTime() === Date.parse(stamped_at)) return
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
  }
  throw invalidInput(`The time stamp on the daily root of ${until} does not fit its root.`)
}

/** Throws `validation` if the entries do not have the root of the block. */
export async function importDailyRootBlock(
  sql: Sql,
  accountId: number,
  line: DailyRootBlockLine,
): Promise<void> {
  const commitments = Buffer.from(line.commitments, 'base64')
  const entries = typeof line.entries === 'string' ? Buffer.from(line.entries, 'base64') : null
  const root = computeMerkleRoot(splitEntries({ commitments, entries }))
  if (root.toString('hex') !== line.root || (entries !== null && commitments.length > 0))
    throw invalidInput(`The daily root of ${line.until} does not fit the commitments in the file.`)
  await sql`
    insert into daily_root_block (account_id, until, number, first_passport, first_version, root, commitments, entries)
    values (${accountId}, ${line.until}, ${line.number}, ${line.first_passport}, ${line.first_version}, ${root},
      ${commitments}, ${entries})`
}

/** Throws `validation` unless the blocks of each root make that root. */
export async function requireWholeRoots(sql: Sql, accountId: number): Promise<void> {
  const roots = await sql<{ until: Date; versions: number; root: Buffer }[]>`
    select until, versions, root from daily_root where account_id = ${accountId} order by until`
  for (const { until, versions, root } of roots) {
    const blocks = await sql<{ number: number; root: Buffer; bytes: number; is_bound: boolean }[]>`
      select number, root, length(coalesce(entries, commitments)) as bytes, entries is not null as is_bound
      from daily_root_block
      where account_id = ${accountId} and until = ${until} order by number`
    const sizes = blocks.map((_, n) => Math.min(versions - n * ENTRIES_PER_BLOCK, ENTRIES_PER_BLOCK))
    const isWhole =
      blocks.length === Math.ceil(versions / ENTRIES_PER_BLOCK) &&
      blocks.every(({ number, bytes }, n) => number === n && bytes === ENTRY_BYTES * (sizes[n] ?? 0)) &&
      blocks.every(({ is_bound: isBound }) => isBound === blocks[0]?.is_bound) &&
      combineSubtrees(blocks.map(block => block.root)).equals(root)
    if (!isWhole)
      throw invalidInput(`The daily root of ${until.toISOString()} does not fit its blocks in the file.`)
  }
}
