/**
 * Fills a database with passports by SQL: a million in under five minutes, through the same tables and
 * indexes.
 */

import { newUuid } from '../src/kernel/crypto/ids.ts'
import type { Sql } from '../src/kernel/db/database.ts'

/** Rows of a statement: on a busy machine, it ends well before its time-out. */
const STEP = 5_000

/** A textile passport as an integrator would send it, about 1.2 kB. */
export function bodyOf(n: number) {
  return {
    productName: `Merino base layer ${n}`,
    sku: `MB-${n}`,
    brandName: 'Fjellvind',
    languages: ['en', 'de'],
    economicOperator: {
      role: 'manufacturer',
      legalName: 'Fjellvind AS',
      address: 'Havnegata 4, 5003 Bergen',
      country: 'NO',
      contactEmail: 'passport@fjellvind.example',
    },
    fiberComposition: [
      { fiber: 'wool', percentage: 87.5 },
      { fiber: 'polyamide', percentage: 12.5 },
    ],
    countryOfManufacture: 'PT',
    supplyChainStages: [
      { stage: 'spinning', country: 'IT' },
      { stage: 'knitting', country: 'PT' },
    ],
    careInstructions: {
      en: 'Wash at 30 °C, wool cycle, dry flat.',
      de: 'Bei 30 °C im Wollprogramm waschen, liegend trocknen.',
    },
    repair: { repairable: true, sparePartsAvailable: false },
    carbonFootprint: 8.4,
    weightGrams: 190,
    endOfLife: {
      recyclingInstructions: {
        en: 'Return to any shop, or textile collection.',
        de: 'Im Laden oder in der Altkleidersammlung abgeben.',
      },
      disposalInstructions: { en: 'Not in household waste.', de: 'Nicht in den Hausmüll.' },
    },
  }
}

/** `rare` is a word in the names of 25 passports, spread evenly over all of them. */
export type Filling = {
  accountId: number
  count: number
  word: string
  rare?: string
  /** The time of the first id, from which each is a millisecond later; default: now. */
  since?: number
  log?: (line: string) => void
}

const HITS = 25
const COLOURS =
  'black,white,navy,olive,sand,rust,slate,ivory,moss,plum,teal,coral,amber,charcoal,indigo,ochre'.split(',')
const FABRICS = 'merino,linen,cotton,hemp,alpaca,denim,fleece,tencel,cashmere,corduroy,flannel,poplin'.split(
  ',',
)

/**
 * Inserts `count` models with `word` and a number in their names. Returns their UUIDs, oldest first (all for
 * small counts).
 */
export async function fill(
  sql: Sql,
  { accountId, count, word, rare = '', since: started = Date.now(), log }: Filling,
): Promise<string[]> {
  const kept: string[] = []
  const { productName: _name, sku: _sku, ...rest } = bodyOf(0)
  for (let done = 0; done < count; done += STEP) {
    const size = Math.min(STEP, count - done)
    const ids = Array.from({ length: size }, (_, i) => newUuid(started + done + i))
    if (kept.length < 100_000) kept.push(...ids)
    await sql`
      with input as materialized (
        select id, ${done}::int + n as n from unnest(${`{${ids.join(',')}}`}::text::uuid[]) with ordinality as r(id, n)
      ), rows as materialized (
        select id, n, ${word} || ' ' || (${COLOURS}::text[])[1 + n % ${COLOURS.length}] || ' '
          || (${FABRICS}::text[])[1 + n % ${FABRICS.length}] || ' ' || n
          || case when n % ${Math.max(1, Math.floor(count / HITS))} = 0 then ' ' || ${rare} else '' end as name,
          upper(substr(md5(n::text), 1, 3)) || '-' || n as sku
        from input
      ), c as (
        insert into content (account_id, upto, id, owner_id, data)
        select ${accountId}, 1, id, id, ${JSON.stringify(rest)}::text::jsonb || jsonb_build_object('productName', name, 'sku', sku)
        from rows
      )
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, sku, search)
      select now(), ${accountId}, 1, 0, 0, id, id, id, 1, 'm', 'a', 'textile', sku, lower(name || E'\n' || sku)
      from rows`
    if (log && (done / STEP) % 40 === 39) log(`  ${done + size} of ${count}`)
  }
  await sql`
    insert into passport_count (account_id, level, status, category, n) values (${accountId}, 'm', 'a', 'textile', ${count})
    on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n`
  await sql`update account_usage set used = used + ${count} where account_id = ${accountId} and level = 'm'`
  return kept
}

export type ItemFilling = {
  accountId: number
  models: readonly string[]
  /** Items under each model. */
  each: number
  prefix: string
  log?: (line: string) => void
}

/**
 * Inserts plain items under the models, with `prefix` and a number as serial. Returns the UUID of the last
 * one.
 */
export async function fillItems(
  sql: Sql,
  { accountId, models, each, prefix, log }: ItemFilling,
): Promise<string> {
  const count = models.length * each
  const started = Date.now()
  let last = ''
  for (let done = 0; done < count; done += STEP) {
    const size = Math.min(STEP, count - done)
    const ids = Array.from({ length: size }, (_, i) => newUuid(started + done + i))
    const parents = ids.map((_, i) => models[Math.floor((done + i) / each)] ?? '')
    last = ids.at(-1) ?? last
    await sql`
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
        model_id, schema_version, level, status, category, serial)
      select now(), ${accountId}, 1, 0, 0, id, m, m, m, 1, 'i', 'a', 'textile',
        ${prefix} || lpad((${done}::int + n)::text, 7, '0')
      from unnest(${`{${ids.join(',')}}`}::text::uuid[], ${`{${parents.join(',')}}`}::text::uuid[]) with ordinality as r(id, m, n)`
    if (log && (done / STEP) % 40 === 39) log(`  ${done + size} of ${count} items`)
  }
  await sql`
    insert into content_units (account_id, content_id, n)
    select ${accountId}::int, m, ${each}::int from unnest(${`{${models.join(',')}}`}::text::uuid[]) m
    on conflict (account_id, content_id) do update set n = content_units.n + excluded.n`
  await sql`
    insert into passport_count (account_id, level, status, category, n) values (${accountId}, 'i', 'a', 'textile', ${count})
    on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n`
  await sql`update account_usage set used = used + ${count} where account_id = ${accountId} and level = 'i'`
  return last
}
