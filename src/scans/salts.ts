/** The random salts of readers' hashes, one for each day, shared by all processes. Deleted after two days. */
import { createHmac, randomBytes } from 'node:crypto'
import type { Sql } from '../kernel/db/database.ts'
import { DAY_MS, formatDay } from './day.ts'

export function createSalts(sql: Sql) {
  const known = new Map<number, Buffer>()
  return {
    /** Loads the salts of these days. Throws if the database does not answer. */
    async prepare(days: Iterable<number>) {
      const missing = [...new Set(days)].filter(day => !known.has(day))
      if (missing.length === 0) return
      for (const [day, salt] of await load(sql, missing)) known.set(day, salt)
    },
    has: (day: number) => known.has(day),
    /** Hashes the text to 128 bits in hex. Throws if the salt of the day is not loaded. */
    hash(day: number, text: string) {
      const salt = known.get(day)
      if (salt === undefined) throw new Error(`the salt of ${formatDay(day)} is not loaded`)
      return createHmac('sha256', salt).update(text).digest('hex').slice(0, 32)
    },
    forgetBefore(day: number) {
      for (const one of known.keys()) if (one < day) known.delete(one)
    },
  }
}

export type Salts = ReturnType<typeof createSalts>

const SALT_BYTES = 32

/** The first process that asks for a day creates its salt. */
async function load(sql: Sql, days: readonly number[]): Promise<[number, Buffer][]> {
  const texts = days.map(formatDay)
  const fresh = days.map(() => randomBytes(SALT_BYTES).toString('hex'))
  await sql`
    insert into scan_salt (day, salt)
    select day, decode(salt, 'hex') from unnest(${texts}::text[]::date[], ${fresh}::text[]) as u(day, salt) order by day
    on conflict (day) do nothing`
  const rows = await sql<{ day: string; salt: Buffer }[]>`
    select day::text, salt from scan_salt where day = any(${texts}::text[]::date[])`
  return rows.map(({ day, salt }) => [Date.parse(day) / DAY_MS, salt])
}
