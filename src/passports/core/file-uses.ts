/** The files that data refers to: what is stored with a version, and the error for those not there. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { findCategory } from '../../categories/catalogue.ts'
import { type FileReference, listFiles } from '../../categories/disclose.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type AppError, assert, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { KIND_LETTER, MEDIA_ID } from '../../media/files/media-file.ts'
import { findWithdrawals, NO_WITHDRAWALS } from '../../media/files/withdrawn-media.ts'
import {
  findUnknownUses,
  isUnknownMedia,
  type MediaUse,
  type UseAudience,
} from '../../media/uses/media-use.ts'
import type { PassportData } from './check-data.ts'
import { rowProblem } from './row-problems.ts'

/** `path`: where the data of the version has the reference. */
export type FileUse = MediaUse & Pick<FileReference, 'path'>

/** A version that is to be written; `data`: its own fields if it is one of a unit. */
type NewVersion = {
  accountId: number
  id: string
  versionNo: number
  category: string
  schemaVersion: number
  data: PassportData | null
}

const AUDIENCE_LETTER = {
  public: 'p',
  legitimate_interest: 'l',
  authority: 'a',
  owner: 'o',
} as const satisfies Record<FileReference['audience'], UseAudience>

export function listFileUses({ accountId, id, versionNo, ...version }: NewVersion): FileUse[] {
  if (version.data === null) return []
  const category = findCategory(version.category, version.schemaVersion)
  assert(category, 'what is written has a known category')
  return listFiles(category, version.data).map(({ path, id: media, kind, audience }) => ({
    account_id: accountId,
    passport: id,
    version_no: versionNo,
    media,
    kind: KIND_LETTER[kind],
    audience: AUDIENCE_LETTER[audience],
    path,
  }))
}

/** An error by UUID for each passport with a reference to a file that is not there. */
export async function findUnknownFiles(
  sql: Sql,
  uses: readonly FileUse[],
  options?: { locks: boolean },
): Promise<Map<string, AppError>> {
  const unknown = await findUnknownUses(sql, uses, options)
  const withdrawn = await findWithdrawnUses(sql, unknown)
  const byPassport = Map.groupBy(unknown, use => use.passport)
  return new Map(
    Array.from(byPassport, ([id, some]) => [id, invalid(some.map(use => toDetail(use, withdrawn.has(use))))]),
  )
}

async function findWithdrawnUses(sql: Sql, uses: readonly FileUse[]): Promise<ReadonlySet<FileUse>> {
  const withdrawn = new Set<FileUse>()
  for (const [accountId, own] of Map.groupBy(uses, use => use.account_id)) {
    const ids = [...new Set(own.map(({ media }) => media))].filter(id => MEDIA_ID.test(id))
    const found = ids.length === 0 ? NO_WITHDRAWALS : await findWithdrawals(sql, accountId, ids)
    for (const use of own) if (found.has(use.media)) withdrawn.add(use)
  }
  return withdrawn
}

function toDetail({ path, media, kind }: FileUse, isWithdrawn: boolean): Detail {
  const unknown = kind === KIND_LETTER.picture ? 'unknown_picture' : 'unknown_document'
  const key = isWithdrawn ? 'withdrawn_file' : unknown
  return rowProblem({ path: ['data', ...path], code: 'unknown_media' }, key, { media })
}

/**
 * For what is written without references: a version that is only checked, or a draft. `locks`: the files stay
 * until the transaction ends. Throws `validation`.
 */
export async function requireKnownFiles(
  { sql }: AccountContext,
  uses: readonly FileUse[],
  options?: { locks: boolean },
): Promise<void> {
  const errors = await findUnknownFiles(sql, uses, options)
  for (const error of errors.values()) throw error
}

/**
 * Returns the result of `write`; if it ends because of files that are not there, the errors by UUID of the
 * passports with such references.
 */
export async function orUnknownFiles<T>(
  sql: Sql,
  uses: readonly FileUse[],
  write: () => Promise<T>,
): Promise<T | Map<string, AppError>> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isUnknownMedia(error)) throw error
      const errors = await findUnknownFiles(sql, uses)
      // A file may have become ready meanwhile.
      if (errors.size > 0) return errors
    }
  }
}
