/**
 * Sets, changes and ends the recall notice of a product. Each is a row of its own, with an audit entry and an
 * event.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AuditAction, audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { idFromUuid, newUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { announceEvents, buildPassportEvent, type NAMED_EVENT_TYPES } from '../../webhooks/insert-events.ts'
import type { RecallNotice } from '../core/recalls.ts'
import { LEVEL_NAME, type PassportRow } from '../core/record.ts'
import { getPrimaryLanguage } from '../read/build-reading.ts'
import { atPassport, getPassport } from '../read/find.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'
import { requireNotice, type SentNotice } from './check-notice.ts'
import { findRecall, noRecall, type Recall } from './read-recall.ts'

/** `expects`: whether the notice that was found may be changed (`If-Match`). */
type RecallInput = { uuid: string; expects: (current: Recall | undefined) => boolean }

/** `isNew`: the product had no notice in force. An equal notice changes nothing. */
type SetRecall = { recall: Recall; isNew: boolean }

/** A change without a day keeps that of the notice. Throws `not_found`, `validation`, `version_conflict`. */
export async function setRecall(
  ctx: AccountContext,
  { uuid, notice: sent, expects }: RecallInput & { notice: SentNotice },
): Promise<SetRecall> {
  const at = await atPassport(ctx, uuid)
  const passport = await getPassport(at, uuid)
  const checked = requireNotice(sent, getPrimaryLanguage(JSON.parse(passport.data)), ctx.clock.now())
  return writeInTurn(at, passport, expects, async (tx, current) => {
    const isNew = current === undefined || current.kind === 'e'
    const isDayKept = !isNew && (sent.from ?? null) === null
    const notice = isDayKept ? { ...checked, from: current.notice.from } : checked
    if (!isNew && isDeepStrictEqual(current.notice, notice)) return { recall: current, isNew }
    const kind = isNew ? 's' : 'c'
    return { recall: await write(tx, passport, { current, kind, notice }), isNew }
  })
}

/** Throws `not_found` if the product has no notice in force, `version_conflict`. */
export async function endRecall(ctx: AccountContext, { uuid, expects }: RecallInput): Promise<Recall> {
  const at = await atPassport(ctx, uuid)
  const passport = await getPassport(at, uuid)
  return writeInTurn(at, passport, expects, (tx, current) => {
    if (current === undefined || current.kind === 'e') throw noRecall()
    return write(tx, passport, { current, kind: 'e', notice: current.notice })
  })
}

/** Changes of a product's notice wait for each other on the row of the product. */
function writeInTurn<T>(
  at: AccountContext,
  passport: PassportRow,
  expects: RecallInput['expects'],
  work: (tx: AccountContext, current: Recall | undefined) => Promise<T>,
): Promise<T> {
  return withTransaction(at, async tx => {
    await tx.sql`
      select from passport where id = ${passport.id} and account_id = ${tx.accountId} for no key update`
    const current = await findRecall(tx, passport.id)
    if (!expects(current)) throw changedMeanwhile(current)
    return work(tx, current)
  })
}

const changedMeanwhile = (current: Recall | undefined) =>
  new AppError(
    'version_conflict',
    current === undefined
      ? 'This product has no recall notice yet. Send the request without If-Match.'
      : `The recall notice was changed; it is now at "v${current.number}". Read it again, then repeat the change with that as If-Match.`,
  )

type Change = { current: Recall | undefined; kind: Recall['kind']; notice: RecallNotice }

const ACTIONS: Readonly<Record<Recall['kind'], AuditAction>> = {
  s: 'product_recalled',
  c: 'recall_changed',
  e: 'recall_ended',
}
const CHANGES = { s: 'set', c: 'changed', e: 'ended' } as const

async function write(
  tx: AccountContext,
  passport: PassportRow,
  { current, kind, notice }: Change,
): Promise<Recall> {
  const { sql, accountId, actorId } = tx
  const now = tx.clock.now()
  const number = (current?.number ?? 0) + 1
  const set_at = kind === 's' || current === undefined ? now : current.set_at
  await sql`
    insert into recall_change (account_id, passport_id, number, kind, notice, set_at, changed_at, changed_by)
    values (${accountId}, ${passport.id}, ${number}, ${kind}::text::"char", ${JSON.stringify(notice)}::text::jsonb, ${set_at},
      ${now}, ${actorId})`
  await audit(tx, ACTIONS[kind], idFromUuid(passport.id))
  const type: (typeof NAMED_EVENT_TYPES)[number] = kind === 'e' ? 'product.recall_ended' : 'product.recalled'
  // No text of the notice, which people wrote.
  const data = {
    ...buildPassportEvent(passport),
    level: LEVEL_NAME[passport.level],
    change: CHANGES[kind],
    number,
    from: notice.from,
  }
  const rows = sql`
    select ${now}::timestamptz, ${accountId}::int, ${newUuid(now.getTime())}::uuid, ${type}::text,
      ${JSON.stringify(data)}::text::jsonb`
  await sql`with ${announceEvents(sql, rows)} select`
  dropCachedMetadata(sql, passport.id)
  return { id: passport.id, level: passport.level, number, kind, notice, set_at, changed_at: now }
}
