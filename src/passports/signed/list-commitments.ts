/** The commitments to an account's versions of a span of time, and to the heads of its units' logs. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../standards/signing/version-commitment.ts'
import { buildVersionEntry, type EntryFormat } from '../../standards/signing/version-entry.ts'
import { firstHash } from '../core/hash-chain.ts'
import { listLogHeads } from './list-log-heads.ts'

/** From `since`, or ever, to before `until`. */
type Span = { since: Date | null; until: Date }

/** `commitment` has 32 bytes, `passport` is a UUID. `versionNo`: see `findEventNumber`, too. */
export type VersionCommitment = { passport: string; versionNo: number; commitment: Buffer }

/** Its entry in a tree of this format. */
export const buildEntryOf = ({ passport, ...version }: VersionCommitment, format: EntryFormat): Buffer =>
  buildVersionEntry(format, { passportId: idFromUuid(passport), ...version })

type HashedVersion = { passport: string; version_no: number; hash: Buffer }

const PASSPORTS_PER_PAGE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

export async function* listCommitments(
  ctx: AccountContext,
  commitKey: Buffer,
  span: Span,
): AsyncGenerator<VersionCommitment> {
  const sources = listAccountShards(ctx).flatMap(at => [listHashes(at, span), listLogHeads(at, span)])
  for await (const { passport, version_no: versionNo, hash } of mergeSorted(sources)) {
    const salt = deriveCommitmentSalt(commitKey, idFromUuid(passport), versionNo)
    yield { passport, versionNo, commitment: Buffer.from(commitToVersion(salt, hash), 'base64url') }
  }
}

async function* mergeSorted(
  sources: readonly AsyncGenerator<HashedVersion>[],
): AsyncGenerator<HashedVersion> {
  const heads = await Promise.all(sources.map(async source => ({ source, next: await source.next() })))
  for (;;) {
    let first: (typeof heads)[number] | undefined
    for (const head of heads) {
      if (head.next.done) continue
      if (first === undefined || first.next.done || isBefore(head.next.value, first.next.value)) first = head
    }
    if (first === undefined || first.next.done) return
    yield first.next.value
    first.next = await first.source.next()
  }
}

const isBefore = (a: HashedVersion, b: HashedVersion): boolean =>
  a.passport < b.passport || (a.passport === b.passport && a.version_no < b.version_no)

async function* listHashes(ctx: AccountContext, { since, until }: Span): AsyncGenerator<HashedVersion> {
  const { sql, accountId } = ctx
  for (let after = FIRST; ; ) {
    const page = await sql<{ id: string }[]>`
      select p.id from passport p
      where p.account_id = ${accountId} and p.id > ${after} and p.updated_at > '-infinity'
        ${since === null ? sql`` : sql`and greatest(p.updated_at, p.stored_at) >= ${since}`}
      order by p.id limit ${PASSPORTS_PER_PAGE}`
    const last = page.at(-1)
    if (last === undefined) return
    yield* await readHashes(
      ctx,
      page.map(({ id }) => id),
      { since, until },
    )
    after = last.id
  }
}

/** Version 1 has no row until version 2 is written. A draft has been a passport since its first status. */
const readHashes = (
  { sql, accountId }: AccountContext,
  ids: readonly string[],
  { since, until }: Span,
): Promise<HashedVersion[]> => sql<HashedVersion[]>`
  select passport, version_no, hash from (
    select p.id as passport, 1 as version_no, carnet_created_at(p.id) as created_at, ${firstHash(sql, sql`c.hash`)} as hash
    from passport p join content c on c.id = p.content_id and c.account_id = p.account_id
    where p.id = any(${[...ids]}::text[]::uuid[]) and p.account_id = ${accountId} and p.version_no = 1
    union all
    select v.passport_id, v.version_no, v.created_at, v.hash from passport_version v
    where v.passport_id = any(${[...ids]}::text[]::uuid[]) and v.account_id = ${accountId}
  ) v cross join lateral (
    select case when v.version_no = 1 then coalesce((
      select case when s.status = 'a' then s.changed_at end from passport_status s
      where s.passport_id = v.passport and s.account_id = ${accountId} order by s.changed_at limit 1), v.created_at)
      else v.created_at end as at offset 0) t
  where t.at < ${until} ${since === null ? sql`` : sql`and t.at >= ${since}`}
  order by passport, version_no`
