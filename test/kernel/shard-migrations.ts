/** Shared by the tests of migrations of shards, on one PostgreSQL and on Citus. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type postgres from 'postgres'
import type { Target } from '../database.ts'

export const NOW = new Date('2026-11-23T10:00:00Z')
/** The migration after which shards can be created. */
export const FIRST_WITH_SHARDS = 32

/** Uses most of what migrations do. */
export const SHARD_FILE = `-- shard
-- It's a test; of "all
create table later (
  id   bigint primary key,
  name text not null check (name <> ';')
);
insert into later (id, name) values (1, 'first');
alter table passport add column later integer, add column noted text not null default 'a;b';
alter table passport add constraint later_is_positive check (later > 0);
alter table passport alter column later set default 5;
create unique index passport_later on passport (account_id, id, later) where later > 5;
create trigger later_is_kept before update or delete on later for each statement execute function public.carnet_keep();
create trigger later_is_never_truncated before truncate on later for each statement execute function public.carnet_keep();
alter table later set (fillfactor = 70);
do $$ begin
  alter table event add column later integer;
end $$;
`

/**
 * Holds only the process that `killWhileAsleep` starts, and the server notices within 20 ms that it is gone.
 */
export const SLEEP_IN_SHARD_2 = `
set local client_connection_check_interval = 20;
select pg_sleep(60) where current_setting('application_name') = 'doomed' and current_schema() = 'shard_2';
`

export type Migrations = {
  dir: string
  write: (name: string, text: string) => void
  remove: () => void
}

/** A folder with the migrations of this version, for more. */
export function copyMigrations(): Migrations {
  const dir = mkdtempSync(join(tmpdir(), 'carnet-migrations-'))
  cpSync(join(import.meta.dirname, '../../migrations'), dir, { recursive: true })
  return {
    dir,
    write: (name, text) => writeFileSync(join(dir, name), text),
    remove: () => rmSync(dir, { recursive: true }),
  }
}

/** Kills a process that migrates, when it is on the second shard. Returns when the server has noticed. */
export async function killWhileAsleep(sql: postgres.Sql, target: Target, dir: string): Promise<void> {
  const at = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href
  const code = `
    import { connect } from '${at('../database.ts')}'
    import { migrate } from '${at('../../src/kernel/db/migrate.ts')}'
    const sql = connect(${JSON.stringify(target)})
    await sql.unsafe("set application_name = 'doomed'")
    await migrate(sql, ${JSON.stringify(dir)}, new Date())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const count = async (isAsleep: boolean) => {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and application_name = 'doomed'
        and (wait_event is not distinct from 'PgSleep' or not ${isAsleep})`
    return rows.length
  }
  while ((await count(true)) === 0) {
    assert.equal(child.exitCode, null, 'the migration slept')
    await turn()
  }
  child.kill('SIGKILL')
  await ended
  while ((await count(false)) > 0) await turn()
}
