/** Exports and imports an account's actors, brand and logos. People and keys are not exported. */
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { AudienceProfile } from './audience-profile.ts'
import type { LevelLetter } from './plans.ts'

export type AccountLine = {
  name: string
  plan: string
  indexable: boolean
  /** This and what follows is absent in exports of earlier versions. */
  audience_profile?: AudienceProfile
  uses_registry?: boolean
  backup_base_url?: string | null
  withdrawn_files?: number
}
export type ActorLine = { id: number; kind: string; label: string }
export type BrandLine = Readonly<Record<string, unknown>>
/** `bytes` in base64. */
export type LogoLine = Readonly<Record<string, unknown>> & { hash: string }

/** Also the shards with its passports; null: `public`. Throws `not_found`. */
export async function exportAccount(
  sql: Sql,
  accountId: number,
): Promise<{ account: AccountLine; shards: (number | null)[] }> {
  const [row] = await sql<(AccountLine & { all_shards: (number | null)[] })[]>`
    select name, plan, indexable, audience_profile, uses_registry, backup_base_url, withdrawn_files, coalesce(shards, array[shard]) as all_shards from account where id = ${accountId}`
  if (row === undefined) throw new AppError('not_found', `There is no account ${accountId}.`)
  const { all_shards: shards, ...account } = row
  return { account, shards }
}

export const exportActors = (sql: Sql, accountId: number) =>
  sql<ActorLine[]>`select id, kind, label from actor where account_id = ${accountId} order by id`

export const exportBrand = (sql: Sql, accountId: number) =>
  sql<BrandLine[]>`
    select version, name, accent, logo, logo_dark, frame_ancestors, story, updated_at, updated_by from brand
    where account_id = ${accountId}`

export const exportLogos = (sql: Sql, accountId: number) =>
  sql<LogoLine[]>`
    select hash, type as kind, width, height, encode(bytes, 'base64') as bytes, kept_since from brand_logo
    where account_id = ${accountId} order by hash`

/** Actors keep their ids, because the hashes of versions cover them. */
export async function importActors(sql: Sql, accountId: number, actors: readonly ActorLine[]): Promise<void> {
  await sql`
    insert into actor (id, account_id, kind, label) overriding system value
    select r.id, ${accountId}, r.kind, r.label
    from jsonb_to_recordset(${JSON.stringify(actors)}::text::jsonb) as r(id int, kind text, label text)`
}

export async function importBrand(sql: Sql, accountId: number, brand: BrandLine): Promise<void> {
  await sql`
    insert into brand (account_id, version, name, accent, logo, logo_dark, frame_ancestors, story, updated_at, updated_by)
    select ${accountId}, r.* from jsonb_to_record(${JSON.stringify(brand)}::text::jsonb) as r(version int, name text, accent text,
      logo text, logo_dark text, frame_ancestors text[], story json, updated_at timestamptz, updated_by int)`
}

export async function importLogo(sql: Sql, accountId: number, logo: LogoLine): Promise<void> {
  await sql`
    insert into brand_logo (account_id, hash, type, width, height, bytes, kept_since)
    select ${accountId}, r.hash, r.kind, r.width, r.height, decode(r.bytes, 'base64'), r.kept_since
    from jsonb_to_record(${JSON.stringify(logo)}::text::jsonb) as r(hash text, kind text, width int, height int, bytes text,
      kept_since timestamptz)`
}

/** Sets the counters of an imported account, which may exceed its quotas. */
export async function setUsage(
  sql: Sql,
  accountId: number,
  used: readonly { level: LevelLetter; n: number }[],
): Promise<void> {
  for (const { level, n } of used) {
    await sql`update account_usage set used = ${n} where account_id = ${accountId} and level = ${level}::text::"char"`
  }
}

export async function importSettings(
  sql: Sql,
  accountId: number,
  {
    indexable,
    audience_profile: profile = 'contract',
    uses_registry: usesRegistry = false,
    backup_base_url: backupUrl = null,
    withdrawn_files: withdrawnFiles = 0,
  }: AccountLine,
): Promise<void> {
  await sql`
    update account set indexable = ${indexable}, audience_profile = ${profile}, uses_registry = ${usesRegistry},
      backup_base_url = ${backupUrl}, withdrawn_files = ${withdrawnFiles}
    where id = ${accountId}`
}
