/** Counts how often processes write their share of a key's rate limit: once for each round trip. */
import type { Sql } from '../../src/kernel/db/database.ts'

/** Starts counting. The returned function gives the count for a key. */
export async function countExchanges(sql: Sql): Promise<(keyId: string) => Promise<number>> {
  await sql`create table if not exists exchange_count (key_id uuid primary key, n integer)`
  await sql`
    create or replace function count_exchange() returns trigger language plpgsql as $$
    begin
      insert into exchange_count values (new.key_id, 1)
      on conflict (key_id) do update set n = exchange_count.n + 1;
      return null;
    end $$`
  await sql`
    create or replace trigger exchanges after insert or update on rate_share
    for each row execute function count_exchange()`
  return async keyId => {
    const [row] = await sql<{ n: number }[]>`select n from exchange_count where key_id = ${keyId}`
    return row?.n ?? 0
  }
}
