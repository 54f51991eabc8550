/** Changes of the passports of an account: each reads the whole document, then writes what differs. */
import type { IncomingHttpHeaders } from 'node:http'
import type { AccountContext } from '../../accounts/account/context.ts'
import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { perDatabase } from '../../kernel/db/database.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import type { PassportRow, StatusLetter } from '../../passports/core/record.ts'
import { createEnDocument } from '../../passports/documents/en-document.ts'
import type { DocumentSetup, PlacedRow } from '../../passports/documents/setup.ts'
import { findWholePassport } from '../../passports/read/find.ts'
import { setStatus } from '../../passports/write/archive.ts'
import { attemptLocked, MAX_UNLOCKED_ATTEMPTS } from '../../passports/write/change-queue.ts'
import { updatePassport } from '../../passports/write/update.ts'
import { CONTEXT_MEMBER, PROOF_MEMBER } from '../../standards/en18223/names.ts'
import type { ApiResponse } from '../endpoint/endpoint.ts'
import { buildPrivateEtag } from './etag.ts'
import type { SentBody } from './read-dpp-body.ts'
import type { ChangeOptions } from './representation.ts'

/** A request that writes. `setup.sql` is that of the account, perhaps a transaction. */
export type WriteCall = {
  setup: DocumentSetup
  account: AccountContext
  headers: IncomingHttpHeaders
  /** Raw. */
  query: string
  body: SentBody
}

/** `id`: the UUID of a passport of the account. */
export type PassportWriteCall = WriteCall & { id: string }

/** `document`: the compressed form of all that the account may see, with its proof. */
export type OwnPassport = { row: PlacedRow; document: DataObject }

/** No data: nothing is to be done. */
export type Change = { data: Record<string, unknown> } | { status: StatusLetter }

/**
 * Writes what `decide` returns for the present document, as one version or status. Starts again if another
 * request was faster. Throws what `decide` and the operations throw.
 */
export const changeOwnPassport = (
  call: PassportWriteCall,
  options: ChangeOptions,
  decide: (own: OwnPassport) => Promise<Change>,
): Promise<OwnPassport> =>
  queues(call.account.sql).run(call.id, async () => {
    for (let attempts = 0; attempts < MAX_UNLOCKED_ATTEMPTS; attempts++) {
      const own = await attempt(call, options, decide)
      if (own !== undefined) return own
    }
    return attemptLocked(call.account, [call.id], tx =>
      attempt({ ...call, account: tx, setup: { ...call.setup, sql: tx.sql } }, options, decide),
    )
  })

/** Undefined if another request was faster. */
async function attempt(
  call: PassportWriteCall,
  options: ChangeOptions,
  decide: (own: OwnPassport) => Promise<Change>,
): Promise<OwnPassport | undefined> {
  const own = await readOwnPassport(call)
  const change = await decide(own)
  if ('data' in change && Object.keys(change.data).length === 0) return own
  const row = await tryWrite(call, own.row, change, options)
  return row && describeRow(call, row)
}

const queues = perDatabase(() => new KeyedQueue())

async function readOwnPassport(call: PassportWriteCall): Promise<OwnPassport> {
  const row = await findWholePassport(call.account.sql, call.id)
  if (row === undefined || row.account_id !== call.account.accountId) throw notFound('passport')
  return describeRow(call, row)
}

const describeRow = async ({ setup }: WriteCall, row: PlacedRow): Promise<OwnPassport> => ({
  row,
  document: await createEnDocument(setup, row, 'owner', 'compressed'),
})

/** Undefined if another request has changed the passport meanwhile. */
async function tryWrite(
  { account, id }: PassportWriteCall,
  row: PlacedRow,
  change: Change,
  options: ChangeOptions,
): Promise<PlacedRow | undefined> {
  const expects = (current: PassportRow) =>
    current.version_no === row.version_no && current.status === row.status
  try {
    const written =
      'status' in change
        ? await setStatus(account, { uuid: id, status: change.status, expects })
        : await updatePassport(account, {
            uuid: id,
            ...options,
            data: change.data,
            strict: true,
            expects,
          }).then(({ passport }) => passport)
    return { ...row, ...written }
  } catch (error) {
    if (error instanceof AppError && error.code === 'version_conflict') return undefined
    throw error
  }
}

/**
 * Compares `If-Match` and `If-None-Match` with the present document and `parts` of it, in the forms that this
 * account reads. Throws `version_conflict`.
 */
export async function requireMatch(
  { setup, headers }: WriteCall,
  { row, document }: OwnPassport,
  parts: readonly unknown[] = [],
): Promise<void> {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  if (match === undefined && noneMatch === undefined) return
  const full = await createEnDocument(setup, row, 'owner', 'full')
  const etags = [document, full, ...parts].map(buildPrivateEtag)
  const hasMatch = match === undefined || match.trim() === '*' || etags.some(etag => matchesAny(match, etag))
  if (hasMatch && !etags.some(etag => matchesAny(noneMatch, etag))) return
  throw new AppError(
    'version_conflict',
    `The passport is not as If-Match or If-None-Match says: it is at version ${row.version_no} now. Read it again with this key, then repeat the change with the new ETag.`,
  )
}

/** 200 with the document that a read with this key would get. */
export const documentOfOwn = ({ row, document }: OwnPassport): ApiResponse => ({
  body: JSON.stringify(document),
  headers: {
    'content-type': 'application/json; charset=utf-8',
    etag: buildPrivateEtag(document),
    'last-modified': row.updated_at.toUTCString(),
  },
})

/** Returns true if a member of a document is never an element of it. */
export const isHiddenMember = (name: unknown): boolean => name === CONTEXT_MEMBER || name === PROOF_MEMBER

/** An operation that this server does not offer. */
export const NOT_OFFERED: ApiResponse = { status: 501, body: '' }
