/** One account as a text that a script can read: a JSON object a line, every version with its hash. `docs/backup.md` describes it. */
import { createHash } from 'node:crypto'
import { exportAccount, exportActors, exportBrand, exportLogos } from '../../accounts/export-rows.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { pathExists, writePrivateFile } from '../../kernel/process/private-file.ts'
import {
  exportAccessLinks,
  exportContents,
  exportGtins,
  exportPassports,
  exportReleasedGtins,
} from '../../passports/copies/export-rows.ts'
import { explainFileError } from '../file-error.ts'

export const EXPORT_FORMAT = 'carnet-account-1'

export type AccountExportSetup = { openPool: () => Sql; clock: Clock; version: string; publicUrl: string }
export type AccountExportOptions = { accountId: number; path: string; progress?: (passports: number) => void }
export type LineCounts = Readonly<Record<string, number>>
export type AccountExportResult = { path: string; bytes: number; sha256: string; counts: LineCounts }

/** Writes the account as it is at one moment. Throws `not_found`, and `validation` when the file is there or cannot be made. */
export async function exportAccountToFile(
  setup: AccountExportSetup,
  wish: AccountExportOptions,
): Promise<AccountExportResult> {
  if (await pathExists(wish.path))
    throw new AppError('validation', `${wish.path} is there already, and an export replaces nothing.`)
  const pool = setup.openPool()
  try {
    const one = (await pool.reserve()) as unknown as Sql
    await one`begin isolation level repeatable read read only`
    await one`set local statement_timeout = 0`
    await one`set local idle_in_transaction_session_timeout = 0`
    return await write(wish.path, readAccountExport({ sql: one, setup, wish }))
  } finally {
    await pool.end({ timeout: 0 })
  }
}

type Line = Readonly<Record<string, unknown>> & { type: string }

async function* listLines(sql: Sql, setup: Source['setup'], wish: Source['wish']): AsyncGenerator<Line> {
  const { accountId } = wish
  const account = await exportAccount(sql, accountId)
  const created_at = setup.clock.now().toISOString()
  const { version: carnet, publicUrl: public_url } = setup
  yield { type: 'header', format: EXPORT_FORMAT, created_at, carnet, public_url, account }
  for (const actor of await exportActors(sql, accountId)) yield { type: 'actor', ...actor }
  for (const logo of await exportLogos(sql, accountId)) yield { type: 'logo', ...logo }
  for (const brand of await exportBrand(sql, accountId)) yield { type: 'brand', ...brand }
  for await (const content of exportContents(sql, accountId)) yield { type: 'content', ...content }
  let passports = 0
  for await (const { passport, versions, statuses } of exportPassports(sql, accountId)) {
    yield { type: 'passport', id: idFromUuid(passport.uuid), ...passport }
    for (const version of versions) yield { type: 'version', ...version }
    for (const status of statuses) yield { type: 'status', ...status }
    wish.progress?.(++passports)
  }
  for await (const gtin of exportGtins(sql, accountId)) yield { type: 'gtin', ...gtin }
  for (const gtin of await exportReleasedGtins(sql, accountId)) yield { type: 'released_gtin', ...gtin }
  for await (const link of exportAccessLinks(sql, accountId)) yield { type: 'access_link', ...link }
}

export type AccountExportEnd = { sha256: string; counts: LineCounts }
/** The connection has a transaction of one snapshot open. */
type Source = {
  sql: Sql
  setup: Omit<AccountExportSetup, 'openPool'>
  wish: Omit<AccountExportOptions, 'path'>
}

const GATHERED = 65_536

/** The file in pieces. The last line has the counts, and the SHA-256 of all lines before it. */
export async function* readAccountExport({
  sql,
  setup,
  wish,
}: Source): AsyncGenerator<Buffer, AccountExportEnd> {
  const digest = createHash('sha256')
  const counts: Record<string, number> = {}
  let held = ''
  for await (const line of listLines(sql, setup, wish)) {
    counts[line.type] = (counts[line.type] ?? 0) + 1
    held += `${JSON.stringify(line)}\n`
    if (held.length <= GATHERED) continue
    const piece = Buffer.from(held)
    held = ''
    digest.update(piece)
    yield piece
  }
  const sha256 = digest.update(held).digest('hex')
  yield Buffer.from(`${held}${JSON.stringify({ type: 'end', counts, sha256 })}\n`)
  return { sha256, counts }
}

async function write(
  path: string,
  pieces: AsyncGenerator<Buffer, AccountExportEnd>,
): Promise<AccountExportResult> {
  try {
    return await writePrivateFile(path, async put => {
      let bytes = 0
      let next = await pieces.next()
      for (; !next.done; next = await pieces.next()) {
        bytes += next.value.length
        await put(next.value)
      }
      return { path, bytes, ...next.value }
    })
  } catch (error) {
    throw explainFileError(error, path, 'written')
  }
}
