/**
 * How an account's public pages look, whether its passports are signed, and whether it has offers. Every page
 * needs it, so it is cached for a second.
 */

import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import type { AccountContext } from '../account/context.ts'
import { type SettingChanges, settingChanges } from '../account/setting-changes.ts'
import type { LogoType } from './logo.ts'

/** `file` is the last part of the picture's address: the hash of its bytes and its type. */
export type BrandLogo = { file: string; width: number; height: number }

/** An issuer that signs, with its encrypted key: without the `SECRET_KEY` of then it signs nothing. */
type PageSigner = {
  name: string
  keyNumber: number
  encryptedKey: Buffer
  /** Null unless the operator has verified the account. */
  legalName: string | null
}

export type Brand = {
  /** Grows with every change; 0 if the account has set nothing. */
  version: number
  name: string | null
  accent: string | null
  logo: BrandLogo | null
  logoDark: BrandLogo | null
  /** Origins that may show the pages in a frame. */
  frameAncestors: readonly string[]
  /** Null unless the account has switched signing on. */
  signer: PageSigner | null
  /** Where copies of the account's pages are, without a slash at the end. Not part of `version`. */
  backupBaseUrl: string | null
  /** True if it has the block “From the brand”, which is read where a page is rendered. */
  hasStory: boolean
  /** Grows with every change of the account's offers; 0: it has never had one. Not part of `version`. */
  offersVersion: number
}

export const NO_BRAND: Brand = {
  version: 0,
  name: null,
  accent: null,
  logo: null,
  logoDark: null,
  frameAncestors: [],
  signer: null,
  backupBaseUrl: null,
  hasStory: false,
  offersVersion: 0,
}

const CACHE_MS = 1_000
const MAX_CACHED = 10_000

type BrandCache = {
  load: (accountId: number) => Promise<Brand>
  entries: Map<number, { brand: Brand; at: number; change: number }>
  changes: SettingChanges
}

const brandCaches = perSharedDatabase(
  (sql: Sql): BrandCache => ({
    load: createBatchLoader((ids: readonly number[]) => load(sql, ids)),
    entries: new BoundedMap(MAX_CACHED),
    changes: settingChanges(sql),
  }),
)

/** The cached brand, unless it is older than a second or `withinMs`. */
export function findCachedBrand(
  sql: Sql,
  accountId: number,
  now: Date,
  withinMs = CACHE_MS,
): Brand | undefined {
  const { entries, changes } = brandCaches(sql)
  const cached = entries.get(accountId)
  if (cached === undefined || !changes.hasNoneSince(accountId, cached.change)) return undefined
  const age = now.getTime() - cached.at
  return age >= 0 && age < withinMs ? cached.brand : undefined
}

export async function getCachedBrand(sql: Sql, accountId: number, now: Date): Promise<Brand> {
  const cached = findCachedBrand(sql, accountId, now)
  if (cached !== undefined) return cached
  const cache = brandCaches(sql)
  const change = cache.changes.now()
  const brand = await cache.load(accountId)
  cache.entries.set(accountId, { brand, at: now.getTime(), change })
  return brand
}

export const getBrand = async (ctx: Pick<AccountContext, 'sql' | 'accountId'>): Promise<Brand> =>
  (await load(ctx.sql, [ctx.accountId]))[0] ?? NO_BRAND

async function load(sql: Sql, ids: readonly number[]): Promise<Brand[]> {
  const logo = (alias: string) => {
    const l = sql(alias)
    const members = sql`'file', ${l}.hash || '.' || ${l}.type, 'width', ${l}.width, 'height', ${l}.height`
    return sql`case when ${l}.hash is not null then json_build_object(${members}) end`
  }
  // At each table, so that no way of joining reads those of other accounts.
  const oneOf = sql`any(${ids}::int[])`
  const rows = await sql<Row[]>`
    select a.id as account_id, coalesce(b.version, 0) as version, b.name, b.accent,
      coalesce(b.frame_ancestors, '{}') as "frameAncestors", ${logo('light')} as logo, ${logo('dark')} as "logoDark",
      b.story is not null as "hasStory",
      a.backup_base_url as "backupBaseUrl", a.offers_version as "offersVersion", i.name as signer, k.number as key_number, k.private_key, v.legal_name
    from account a
    left join brand b on b.account_id = a.id and b.account_id = ${oneOf}
    left join brand_logo light on light.account_id = b.account_id and light.hash = b.logo and light.account_id = ${oneOf}
    left join brand_logo dark on dark.account_id = b.account_id and dark.hash = b.logo_dark and dark.account_id = ${oneOf}
    left join issuer i on i.account_id = a.id and i.is_signing and i.account_id = ${oneOf}
    left join issuer_key k on k.account_id = i.account_id and k.account_id = ${oneOf} and k.number = (
      select max(n.number) from issuer_key n where n.account_id = i.account_id and n.revoked_at is null)
    left join account_identity v on v.account_id = i.account_id and v.account_id = ${oneOf}
    where a.id = any(${ids}::int[])`
  const found = new Map(rows.map(row => [row.account_id, toBrand(row)]))
  return ids.map(id => found.get(id) ?? NO_BRAND)
}

type Row = Omit<Brand, 'signer'> & {
  account_id: number
  signer: string | null
  key_number: number | null
  private_key: Buffer | null
  legal_name: string | null
}

function toBrand({ account_id: _, signer: name, key_number, private_key, legal_name, ...look }: Row): Brand {
  if (name === null || key_number === null || private_key === null) return { ...look, signer: null }
  return {
    ...look,
    signer: { name, keyNumber: key_number, encryptedKey: private_key, legalName: legal_name },
  }
}

type StoredLogo = { type: LogoType; bytes: Buffer }

/** The logo by the file name in its address, which names no account. */
export async function findLogo(sql: Sql, file: string): Promise<StoredLogo | undefined> {
  const [, hash, type] = /^([0-9a-f]{32})\.(svg|png|jpg|webp)$/.exec(file) ?? []
  if (hash === undefined || type === undefined) return undefined
  const [row] = await sql<StoredLogo[]>`
    select type, bytes from brand_logo where hash = ${hash} and type = ${type} limit 1`
  return row
}
