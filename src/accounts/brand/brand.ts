/**
 * How an account's public pages look. The public door asks for it with every page, so what was read is cached for a
 * second, and accounts asked for together share a statement.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import type { AccountContext } from '../context.ts'
import type { LogoType } from './logo.ts'

/** `file` is the last part of the picture's address: the digest of its bytes and its kind. */
export type BrandLogo = { file: string; width: number; height: number }

export type Brand = {
  /** Grows with every change; 0 when the account has set nothing. */
  version: number
  name: string | null
  /** `#rrggbb` as given. */
  accent: string | null
  logo: BrandLogo | null
  /** For dark pages. */
  logoDark: BrandLogo | null
  /** Origins that may show the pages in a frame. */
  frameAncestors: readonly string[]
}

export const NO_BRAND: Brand = {
  version: 0,
  name: null,
  accent: null,
  logo: null,
  logoDark: null,
  frameAncestors: [],
}

const CACHE_MS = 1_000
const MAX_CACHED = 10_000

type Reader = {
  load: (accountId: number) => Promise<Brand>
  cache: Map<number, { brand: Brand; at: number }>
  /** Counts changes made in this process: what was asked for before one is not cached. */
  changes: number
}

const readers = perDatabase(
  (sql: Sql): Reader => ({
    load: createBatchLoader((ids: readonly number[]) => load(sql, ids)),
    cache: new BoundedMap(MAX_CACHED),
    changes: 0,
  }),
)

/** The brand if it was read less than a second ago, or `withinMs`; asks no database. */
export function findCachedBrand(
  sql: Sql,
  accountId: number,
  now: Date,
  withinMs = CACHE_MS,
): Brand | undefined {
  const cached = readers(sql).cache.get(accountId)
  if (cached === undefined) return undefined
  const age = now.getTime() - cached.at
  return age >= 0 && age < withinMs ? cached.brand : undefined
}

/** The brand of an account; `NO_BRAND` when it has set none. */
export async function getCachedBrand(sql: Sql, accountId: number, now: Date): Promise<Brand> {
  const cached = findCachedBrand(sql, accountId, now)
  if (cached !== undefined) return cached
  const reader = readers(sql)
  const { changes } = reader
  const brand = await reader.load(accountId)
  if (reader.changes === changes) {
    reader.cache.set(accountId, { brand, at: now.getTime() })
  }
  return brand
}

/** To be called after a change: the next page shows it. */
export function invalidateBrand(sql: Sql, accountId: number): void {
  const reader = readers(sql)
  reader.changes++
  reader.cache.delete(accountId)
}

/** The brand as its account sees it. */
export const getBrand = async (ctx: Pick<AccountContext, 'sql' | 'accountId'>): Promise<Brand> =>
  (await load(ctx.sql, [ctx.accountId]))[0] ?? NO_BRAND

type BrandRow = {
  account_id: number
  version: number
  name: string | null
  accent: string | null
  frame_ancestors: string[]
} & { [K in 'light' | 'dark' as `${K}_hash`]: string | null } & {
  [K in 'light' | 'dark' as `${K}_type`]: LogoType
} & { [K in 'light' | 'dark' as `${K}_width` | `${K}_height`]: number }

async function load(sql: Sql, ids: readonly number[]): Promise<Brand[]> {
  const rows = await sql<BrandRow[]>`
    select b.account_id, b.version, b.name, b.accent, b.frame_ancestors,
      l.hash as light_hash, l.type as light_type, l.width as light_width, l.height as light_height,
      d.hash as dark_hash, d.type as dark_type, d.width as dark_width, d.height as dark_height
    from brand b
    left join brand_logo l on l.account_id = b.account_id and l.hash = b.logo
    left join brand_logo d on d.account_id = b.account_id and d.hash = b.logo_dark
    where b.account_id = any(${ids}::int[])`
  const found = new Map(rows.map(row => [row.account_id, toBrand(row)]))
  return ids.map(id => found.get(id) ?? NO_BRAND)
}

const logoOf = (hash: string | null, type: LogoType, width: number, height: number): BrandLogo | null =>
  hash === null ? null : { file: `${hash}.${type}`, width, height }

const toBrand = (row: BrandRow): Brand => ({
  version: row.version,
  name: row.name,
  accent: row.accent,
  logo: logoOf(row.light_hash, row.light_type, row.light_width, row.light_height),
  logoDark: logoOf(row.dark_hash, row.dark_type, row.dark_width, row.dark_height),
  frameAncestors: row.frame_ancestors,
})

/** The bytes of a logo by the file name in its address: a directory look-up, as the address names no account. */
export async function findLogo(
  sql: Sql,
  file: string,
): Promise<{ type: LogoType; bytes: Buffer } | undefined> {
  const [, hash, type] = /^([0-9a-f]{32})\.(svg|png|jpg|webp)$/.exec(file) ?? []
  if (hash === undefined || type === undefined) return undefined
  const [row] = await sql<{ type: LogoType; bytes: Buffer }[]>`
    select type, bytes from brand_logo where hash = ${hash} and type = ${type} limit 1`
  return row
}
