/** An exported account, put into this Carnet as a new one: the same passports at the same ids, or nothing at all. */
import { createHash } from 'node:crypto'
import { createAccount } from '../../accounts/accounts.ts'
import {
  type AccountLine,
  type ActorLine,
  type BrandLine,
  importActors,
  importBrand,
  importLogo,
  type LogoLine,
  setIndexable,
  setUsage,
} from '../../accounts/export-rows.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import {
  finishImport,
  type ImportedContent,
  type ImportedHistory,
  importAccessLinks,
  importContents,
  importGtins,
  importPassports,
  importReleasedGtins,
} from '../../passports/copies/import-rows.ts'
import { findBrokenChains } from '../../passports/copies/verify.ts'
import { EXPORT_FORMAT, type LineCounts } from './export-account.ts'
import { readLines } from './read-lines.ts'

export type AccountImportSetup = { openPool: () => Sql; clock: Clock }
/** `name` and `plan` in place of those in the file. */
export type AccountImportOptions = {
  path: string
  name: string | undefined
  plan: string | undefined
  progress?: (lines: number) => void
}
export type AccountImportResult = { account: string; name: string; plan: string; counts: LineCounts }

type Line = Readonly<Record<string, unknown>> & { type: string }

const refused = (message: string) => new AppError('validation', message)

/**
 * Imports an account. The file's checksum is compared before anything is written, each hash while it is, and it all
 * becomes visible at once. Throws `validation` with a sentence, `not_found` for a plan that is not here.
 */
export async function importAccountFromFile(
  setup: AccountImportSetup,
  wish: AccountImportOptions,
): Promise<AccountImportResult> {
  const counts = await requireWhole(wish.path)
  const pool = setup.openPool()
  try {
    return (await pool.begin(async tx => {
      await tx`set local statement_timeout = 0`
      await tx`set local idle_in_transaction_session_timeout = 0`
      // Plans kept from when the tables were empty read all of the account for each 500 rows.
      await tx`set local plan_cache_mode = force_custom_plan`
      return put(tx as unknown as Sql, setup, wish, counts)
    })) as AccountImportResult
  } finally {
    await pool.end({ timeout: 0 })
  }
}

/** The counts of the last line. */
async function requireWhole(path: string): Promise<LineCounts> {
  const digest = createHash('sha256')
  let last = ''
  let isFirst = true
  for await (const line of readLines(path)) {
    if (!isFirst) digest.update(`${last}\n`)
    isFirst = false
    last = line
  }
  const end = findLine(last)
  if (end?.type !== 'end' || typeof end.counts !== 'object' || end.counts === null)
    throw refused(`${path} is not whole, or is no export of Carnet: its last line is missing or damaged.`)
  if (end.sha256 !== digest.digest('hex'))
    throw refused(`${path} is damaged: it does not have the checksum of its last line.`)
  return end.counts as LineCounts
}

function findLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text) as Line
    return typeof line === 'object' && line !== null && typeof line.type === 'string' ? line : undefined
  } catch {
    return undefined
  }
}

function parse(text: string): Line {
  const line = findLine(text)
  if (line !== undefined) return line
  throw refused('The file is no export of Carnet: it has a line that is no JSON object with a type.')
}

const TOGETHER = 500

async function put(
  sql: Sql,
  { clock }: AccountImportSetup,
  wish: AccountImportOptions,
  expected: LineCounts,
): Promise<AccountImportResult> {
  let account: Awaited<ReturnType<typeof createAccount>> | undefined
  let id = 0
  const counts: Record<string, number> = {}
  const batches = batchesFor(sql, () => id)
  let n = 0
  for await (const text of readLines(wish.path)) {
    const line = parse(text)
    if (line.type === 'end') break
    counts[line.type] = (counts[line.type] ?? 0) + 1
    wish.progress?.(++n)
    if (line.type === 'header') {
      if (line.format !== EXPORT_FORMAT)
        throw refused(`The file is of the format ${line.format}, which is not known here.`)
      const from = line.account as AccountLine
      account = await createAccount(
        { sql, clock },
        { name: wish.name ?? from.name, plan: wish.plan ?? from.plan },
      )
      id = Number(account.id)
      await setIndexable(sql, id, from.indexable)
    } else await batches.take(line)
  }
  if (account === undefined) throw refused('The file has no header.')
  await batches.flush()
  for (const [type, count] of Object.entries(expected)) {
    if (counts[type] !== count)
      throw refused(`The file has ${counts[type] ?? 0} lines of ${type} and names ${count}.`)
  }
  await setUsage(sql, id, await finishImport(sql, id))
  const [broken] = await findBrokenChains(sql, id)
  if (broken !== undefined) throw refused(`The file does not hold together: ${broken}.`)
  return { account: account.id, name: account.name, plan: account.plan, counts }
}

/** Gathers what is of one kind; an actor, a logo and a brand are few. */
function batchesFor(sql: Sql, accountId: () => number) {
  const actors: ActorLine[] = []
  const contents: ImportedContent[] = []
  const histories: ImportedHistory[] = []
  const gtins: Parameters<typeof importGtins>[2][number][] = []
  const released: Parameters<typeof importReleasedGtins>[2][number][] = []
  const links: Parameters<typeof importAccessLinks>[2][number][] = []
  const empty = async <L>(
    lines: L[],
    write: (sql: Sql, id: number, lines: readonly L[]) => Promise<void>,
  ) => {
    if (lines.length > 0) await write(sql, accountId(), lines.splice(0))
  }
  const flush = async () => {
    await empty(actors, importActors)
    await empty(contents, importContents)
    await empty(histories, importPassports)
    await empty(gtins, importGtins)
    await empty(released, importReleasedGtins)
    await empty(links, importAccessLinks)
  }
  const takers: Record<string, (line: never) => unknown> = {
    actor: (line: ActorLine) => actors.push(line),
    logo: (line: LogoLine) => importLogo(sql, accountId(), line),
    brand: (line: BrandLine) => importBrand(sql, accountId(), line),
    content: (line: ImportedContent) => contents.push(line),
    passport: (passport: ImportedHistory['passport']) =>
      histories.push({ passport, versions: [], statuses: [] }),
    version: (line: ImportedHistory['versions'][number]) => histories.at(-1)?.versions.push(line),
    status: (line: ImportedHistory['statuses'][number]) => histories.at(-1)?.statuses.push(line),
    gtin: (line: (typeof gtins)[number]) => gtins.push(line),
    released_gtin: (line: (typeof released)[number]) => released.push(line),
    access_link: (line: (typeof links)[number]) => links.push(line),
  }
  return {
    flush,
    async take(line: Line) {
      if (accountId() === 0) throw refused('The file does not begin with its header.')
      // Before the line that begins the next passport, so that none is cut in two.
      const isFull =
        Math.max(contents.length, histories.length, gtins.length, released.length, links.length) >= TOGETHER
      if (isFull && line.type !== 'version' && line.type !== 'status') await flush()
      const taker = Object.hasOwn(takers, line.type) ? takers[line.type] : undefined
      if (taker === undefined)
        throw refused(`The file has a line of the type ${line.type}, which is not known here.`)
      await taker(line as never)
    },
  }
}
