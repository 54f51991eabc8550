/** Checks over all shards that each GTIN claim has its product, and each active product its claim. */
import { setTimeout as pause } from 'node:timers/promises'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase, listCandidateShards, listShards } from '../../kernel/db/shards.ts'
import { getGtinOfClaim, isLocalClaim, toClaimKey } from '../core/claim-key.ts'

const PAGE_ROWS = 5_000
const MAX_REPORTED = 20
/** On a cluster a claim and its product are committed on two nodes, one a moment after the other. */
const SECOND_LOOK_MS = 1_000

type Claim = { gtin14: string; account_id: number; model_id: string }
type Find = (rows: readonly Claim[]) => Promise<Claim[]>

/** Stops after `limitMs`, and when it has found some problems. */
export async function findWrongClaims(sql: Sql, limitMs: number) {
  const shared = getSharedDatabase(sql)
  const until = performance.now() + limitMs
  const problems: string[] = []
  const mayGoOn = () => performance.now() < until && problems.length < MAX_REPORTED
  let claims = 0
  let products = 0
  let isComplete = await readPages<Claim>(
    mayGoOn,
    last => readClaims(shared, last),
    async page => {
      claims += page.length
      const wrong = await lookTwice(page, rows => findClaimsWithoutProduct(shared, rows))
      problems.push(...wrong.map(explainClaim))
    },
  )
  for (const shard of listShards(sql)) {
    const isRead = await readPages<Model>(
      mayGoOn,
      last => readModels(shard, last),
      async page => {
        const rows = page.flatMap(({ gtin14, is_active, ...row }) =>
          is_active && gtin14 !== null ? [{ ...row, gtin14 }] : [],
        )
        products += rows.length
        const wrong = await lookTwice(rows, of => findProductsWithoutClaim(shared, of))
        problems.push(...wrong.map(explainProduct))
      },
    )
    isComplete &&= isRead
  }
  return { problems: problems.slice(0, MAX_REPORTED), claims, products, isComplete }
}

/** Returns false if it stopped before the last page. */
async function readPages<T>(
  mayGoOn: () => boolean,
  read: (last: T | undefined) => Promise<T[]>,
  check: (page: T[]) => Promise<void>,
): Promise<boolean> {
  let last: T | undefined
  while (mayGoOn()) {
    const page = await read(last)
    await check(page)
    if (page.length < PAGE_ROWS) return true
    last = page.at(-1)
  }
  return false
}

async function lookTwice(rows: readonly Claim[], find: Find): Promise<Claim[]> {
  const found = await find(rows)
  if (found.length === 0) return found
  await pause(SECOND_LOOK_MS)
  return find(found)
}

const readClaims = (sql: Sql, last: Claim | undefined) => sql<Claim[]>`
  select gtin14, account_id, model_id from gtin_claim
  where gtin14 > ${last?.gtin14 ?? ''} order by gtin14 limit ${PAGE_ROWS}`

type Model = Omit<Claim, 'gtin14'> & { gtin14: string | null; is_active: boolean }

const NIL = '00000000-0000-0000-0000-000000000000'

/** Also models without a GTIN, which no index leaves out: otherwise one page could read a whole table. */
const readModels = (sql: Sql, last: Model | undefined) => sql<Model[]>`
  select id as model_id, account_id, gtin14, status = 'a' as is_active from passport
  where level = 'm' and id > ${last?.model_id ?? NIL}::uuid order by id limit ${PAGE_ROWS}`

/** Asks first the shard that each id names, then all for what is left. */
async function findClaimsWithoutProduct(shared: Sql, claims: readonly Claim[]): Promise<Claim[]> {
  const byShard = Map.groupBy(claims, claim => listCandidateShards(shared, claim.model_id)[0] ?? shared)
  let left: Claim[] = []
  for (const [shard, rows] of byShard) left.push(...(await dropThoseOf(shard, rows)))
  for (const shard of listShards(shared)) left = await dropThoseOf(shard, left)
  return left
}

/** The claims whose product is not on this shard. */
async function dropThoseOf(sql: Sql, claims: Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return claims
  const rows = await sql<{ id: string; account_id: number }[]>`
    select id, account_id from passport where id = any(${claims.map(claim => claim.model_id)}::uuid[])`
  const found = new Set(rows.map(({ id, account_id }) => `${account_id} ${id}`))
  return claims.filter(({ account_id, model_id }) => !found.has(`${account_id} ${model_id}`))
}

async function findProductsWithoutClaim(sql: Sql, products: readonly Claim[]): Promise<Claim[]> {
  if (products.length === 0) return []
  const rows = await sql<Claim[]>`
    select gtin14, account_id, model_id from gtin_claim
    where gtin14 = any(${products.map(getClaimKey)}::text[])`
  const found = new Set(rows.map(({ gtin14, ...holder }) => describeHolder(gtin14, holder)))
  return products.filter(product => !found.has(describeHolder(getClaimKey(product), product)))
}

const getClaimKey = ({ gtin14, account_id }: Claim) => toClaimKey(gtin14, account_id)
const describeHolder = (key: string, { account_id, model_id }: Omit<Claim, 'gtin14'>) =>
  `${key} ${account_id} ${model_id}`

function explainClaim({ gtin14: key, account_id, model_id }: Claim): string {
  const gtin14 = getGtinOfClaim(key)
  const options = isLocalClaim(key) ? ` --to ${account_id}` : ''
  return `the GTIN ${gtin14} belongs to product ${idFromUuid(model_id)} of account ${account_id}, which does not exist: run "carnet gtin release ${gtin14}${options}"`
}

const explainProduct = ({ gtin14, account_id, model_id }: Claim) =>
  `product ${idFromUuid(model_id)} of account ${account_id} has the GTIN ${gtin14}, which does not belong to it: archive it and restore it`
