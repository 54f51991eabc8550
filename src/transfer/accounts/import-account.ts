/** Imports an exported account as a new one with the same passports and ids, completely or not at all. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chooseShard } from '../../accounts/account/account-shard.ts'
import { createAccount } from '../../accounts/account/accounts.ts'
import {
  type AccountLine,
  type BrandLine,
  importActors,
  importBrand,
  importLogo,
  importSettings,
  type LogoLine,
  setUsage,
} from '../../accounts/account/export-rows.ts'
import { type ImportedIssuer, type IssuerLine, importIssuer } from '../../accounts/issuer/export-issuer.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import { ONE_CONNECTION_PER_NODE } from '../../kernel/db/citus.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard, getShardNumber, listShards } from '../../kernel/db/shards.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import { importWithdrawalRequests, importWithdrawnMedia } from '../../media/upkeep/withdrawal-rows.ts'
import { importMediaUses } from '../../media/uses/export-uses.ts'
import { importCredentialStatuses } from '../../passports/copies/credential-status-rows.ts'
import {
  type DailyRootBlockLine,
  type DailyRootLine,
  importDailyRoot,
  importDailyRootBlock,
  requireWholeRoots,
} from '../../passports/copies/daily-root-rows.ts'
import {
  finishImport,
  type ImportedHistory,
  importAccessLinks,
  importContents,
  importDrafts,
  importGtins,
  importPassports,
  importRegistryEntries,
  importReleasedGtins,
  requireFreeIds,
} from '../../passports/copies/import-rows.ts'
import { findBrokenLogs, importLifeEvents, importUnitLives } from '../../passports/copies/life-rows.ts'
import { fillLatestMeasurements, importMeasurements } from '../../passports/copies/measurement-rows.ts'
import { findBrokenChains } from '../../passports/copies/verify.ts'
import { importRecords, type RecordLine } from '../../passports/core/store-records.ts'
import { importRecalls } from '../../passports/recalls/recall-rows.ts'
import { RECORD_STORES } from '../../passports/records/record-stores.ts'
import { explainFileError } from '../new-file.ts'
import { enterSchema, withPool } from '../snapshot.ts'
import { createFileImport, type FileImport, type FileLine, type ImportedFolder } from './account-files.ts'
import { EXPORT_FORMAT, type ExportLine, type LineCounts } from './export-account.ts'

/** `sql`: the store's pool, which knows its shards. */
type AccountImportSetup = { openPool: () => Sql; sql: Sql; clock: Clock; secretCipher: SecretCipher }
/** `name` and `plan` override the file's. */
type AccountImportOptions = {
  path: string
  name: string | undefined
  plan: string | undefined
  /** Where the pictures and documents are; without it, passports only keep their references. */
  files?: ImportedFolder
  progress?: (lines: number, total: number) => void
}
type AccountImportResult = {
  account: string
  name: string
  plan: string
  counts: LineCounts
  /** Undefined if the account has never signed. */
  issuer: ImportedIssuer | undefined
}

/**
 * Checks the checksum first, and each hash while writing. Throws `validation`, and `not_found` for an unknown
 * plan.
 */
export async function importAccountFromFile(
  setup: AccountImportSetup,
  options: AccountImportOptions,
): Promise<AccountImportResult> {
  const counts = await requireComplete(options.path)
  const shard = await chooseShard(setup.sql)
  const files =
    options.files && createFileImport({ ...setup, sql: getShard(setup.sql, shard) }, options.files)
  await files?.check(listFileIds(options.path))
  try {
    return await writeInTransaction(setup, { options, counts, shard, files })
  } catch (error) {
    // Without a connection, the clean-up deletes the files a day later.
    await files?.discard().catch(() => undefined)
    throw error
  }
}

type CheckedImport = {
  options: AccountImportOptions
  counts: LineCounts
  shard: number | null
  files: FileImport | undefined
}

const writeInTransaction = (
  setup: AccountImportSetup,
  { options, counts, shard, files }: CheckedImport,
): Promise<AccountImportResult> =>
  withPool(setup.openPool, pool =>
    pool.begin(async tx => {
      await tx`set local statement_timeout = 0`
      await tx`set local idle_in_transaction_session_timeout = 0`
      // Plans cached while the tables were empty would read the whole account for every 500 rows.
      await tx`set local plan_cache_mode = force_custom_plan`
      const sql = asSql(tx)
      if (shard !== null) {
        await sql.unsafe(ONE_CONNECTION_PER_NODE)
        await enterSchema(sql, shard)
      }
      return writeAccount(sql, { ...setup, shard, files }, options, counts)
    }),
  )

async function requireComplete(path: string): Promise<LineCounts> {
  const digest = createHash('sha256')
  let last: string | undefined
  for await (const line of readLines(path)) {
    if (last !== undefined) digest.update(`${last}\n`)
    last = line
  }
  const end = findLine(last ?? '')
  if (end?.type !== 'end' || typeof end.counts !== 'object' || end.counts === null)
    throw invalidInput(
      `${path} is incomplete or not an export of Carnet: its last line is missing or damaged.`,
    )
  if (end.sha256 !== digest.digest('hex'))
    throw invalidInput(`${path} is damaged: it does not match the checksum in its last line.`)
  return end.counts as LineCounts
}

/** In characters. No line of our exports is longer. */
const MAX_LINE_LENGTH = 64 * 1_048_576

/** Only LF ends a line, because texts of products may contain Unicode's other line ends. */
async function* readLines(path: string): AsyncGenerator<string> {
  let held = ''
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (held + chunk).split('\n')
      held = parts.pop() ?? ''
      yield* parts
      if (held.length > MAX_LINE_LENGTH)
        throw invalidInput(`${path} has a line that is too long for an export of Carnet.`)
    }
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
  if (held !== '') yield held
}

function findLine(text: string): ExportLine | undefined {
  const line: ExportLine | null | undefined = tryParseJson(text)
  return typeof line === 'object' && typeof line?.type === 'string' ? line : undefined
}

/** An export has them before its contents and passports. */
async function* listFileIds(path: string): AsyncGenerator<string> {
  for await (const text of readLines(path)) {
    const line = findLine(text)
    if (line === undefined || line.type === 'content' || line.type === 'passport') return
    if (line.type === 'file') yield String(line.id)
  }
}

const BATCH_ROWS = 500

async function writeAccount(
  sql: Sql,
  {
    clock,
    secretCipher,
    shard,
    files,
    sql: store,
  }: AccountImportSetup & Pick<CheckedImport, 'shard' | 'files'>,
  options: AccountImportOptions,
  expected: LineCounts,
): Promise<AccountImportResult> {
  let account: Awaited<ReturnType<typeof createAccount>> | undefined
  let id = 0
  const counts: Record<string, number> = {}
  const others = listShards(store).filter(one => getShardNumber(one) !== shard)
  let issuer: ImportedIssuer | undefined
  const writeIssuer = async (line: IssuerLine) => {
    issuer = await importIssuer({ sql, clock, secretCipher, accountId: id, actorId: 0 }, line)
  }
  // Under another key the commitments are others: the next root covers all versions again.
  const keepsRoots = () => issuer?.isNewCommitKey === false
  const writeFile = async (line: FileLine) => files?.add(sql, id, line)
  const batches = createBatches(sql, () => id, others, { writeIssuer, keepsRoots, writeFile })
  let n = 0
  const total = Object.values(expected).reduce((sum, count) => sum + count, 0)
  for await (const text of readLines(options.path)) {
    const line = findLine(text)
    if (line === undefined)
      throw invalidInput(
        'The file is not an export of Carnet: one of its lines is not a JSON object with a type.',
      )
    if (line.type === 'end') break
    counts[line.type] = (counts[line.type] ?? 0) + 1
    options.progress?.(++n, total)
    if (line.type === 'header') {
      if (line.format !== EXPORT_FORMAT)
        throw invalidInput(
          `The file has the format ${line.format}, which this version does not know. Import it with a newer Carnet.`,
        )
      const from = line.account as AccountLine
      account = await createAccount(
        { sql, clock },
        { name: options.name ?? from.name, plan: options.plan ?? from.plan, shard },
      )
      id = Number(account.id)
      await importSettings(sql, id, from)
    } else await batches.add(line)
  }
  if (account === undefined) throw invalidInput('The file is incomplete: it has no header.')
  await batches.flush()
  await fillLatestMeasurements(sql, id)
  for (const [type, count] of Object.entries(expected)) {
    if (counts[type] !== count)
      throw invalidInput(
        `The file has ${counts[type] ?? 0} lines of ${type}, but its last line says ${count}.`,
      )
  }
  await setUsage(sql, id, await finishImport(sql, id))
  await requireWholeRoots(sql, id)
  const [broken] = [...(await findBrokenChains(sql, id)), ...(await findBrokenLogs(sql, id))]
  if (broken !== undefined) throw invalidInput(`The file contradicts itself: ${broken}.`)
  return { account: account.id, name: account.name, plan: account.plan, counts, issuer }
}

const RECORD_WRITERS = Object.fromEntries(
  Object.values(RECORD_STORES).map(store => [
    store.type.id,
    (sql: Sql, accountId: number, lines: RecordLine[]) => importRecords({ sql, accountId }, store, lines),
  ]),
)

/** Lines of these types are collected and written together, in this order. */
const WRITERS: Readonly<Record<string, (sql: Sql, id: number, lines: never[]) => Promise<void>>> = {
  actor: importActors,
  withdrawn_file: importWithdrawnMedia,
  withdrawal_request: importWithdrawalRequests,
  content: importContents,
  passport: importPassports,
  gtin: importGtins,
  released_gtin: importReleasedGtins,
  file_use: importMediaUses,
  access_link: importAccessLinks,
  draft: importDrafts,
  registry_entry: importRegistryEntries,
  credential_status: importCredentialStatuses,
  ...RECORD_WRITERS,
  recall: importRecalls,
  event: importLifeEvents,
  unit_life: importUnitLives,
  measurement: importMeasurements,
}

type LineWriters = {
  writeIssuer: (line: IssuerLine) => Promise<void>
  keepsRoots: () => boolean
  writeFile: (line: FileLine) => Promise<void>
}

/** Lines of these types are few or large, so they are written at once. */
function createBatches(
  sql: Sql,
  accountId: () => number,
  otherShards: readonly Sql[],
  { writeIssuer, keepsRoots, writeFile }: LineWriters,
) {
  const batches = new Map(Object.keys(WRITERS).map(type => [type, [] as unknown[]]))
  let history: ImportedHistory | undefined
  const ids: string[] = []
  const flush = async () => {
    for (const [type, lines] of batches) {
      if (lines.length > 0) await WRITERS[type]?.(sql, accountId(), lines.splice(0) as never[])
    }
    const uuids = ids.splice(0)
    for (const other of otherShards) await requireFreeIds(other, uuids)
  }
  const single: Record<string, (line: never) => unknown> = {
    logo: (line: LogoLine) => importLogo(sql, accountId(), line),
    brand: (line: BrandLine) => importBrand(sql, accountId(), line),
    issuer: writeIssuer,
    file: writeFile,
    daily_root: (line: DailyRootLine) => keepsRoots() && importDailyRoot(sql, accountId(), line),
    daily_root_block: (line: DailyRootBlockLine) =>
      keepsRoots() && importDailyRootBlock(sql, accountId(), line),
    version: (line: ImportedHistory['versions'][number]) => history?.versions.push(line),
    status: (line: ImportedHistory['statuses'][number]) => history?.statuses.push(line),
    passport: (passport: ImportedHistory['passport']) => {
      history = { passport, versions: [], statuses: [] }
      ids.push(passport.uuid)
      batches.get('passport')?.push(history)
    },
  }
  return {
    flush,
    async add(line: ExportLine) {
      const { type } = line
      if (accountId() === 0) throw invalidInput('The file does not start with its header.')
      const isFull = [...batches.values()].some(lines => lines.length >= BATCH_ROWS)
      // Never between the lines of one passport.
      if (isFull && type !== 'version' && type !== 'status') await flush()
      if (Object.hasOwn(single, type)) await single[type]?.(line as never)
      else if (batches.has(type)) batches.get(type)?.push(line)
      else
        throw invalidInput(
          `The file has a line of the type ${type}, which this version does not know. Import it with a newer Carnet.`,
        )
    },
  }
}
