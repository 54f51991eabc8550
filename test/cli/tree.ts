/** A copy of the running source tree, as another version on disk, to upgrade from or to. */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const PARTS = [
  'assets',
  'bin',
  'categories',
  'locales',
  'migrations',
  'rules',
  'scripts',
  'src',
  'package.json',
]

export type Tree = {
  main: string
  /**
   * Replaces the tree by the next version, which has one more migration. The migration holds its locks for
   * `holdsS` seconds.
   */
  upgrade: (holdsS: number) => { version: string; migration: string }
}

export function copyTree(to: string): Tree {
  for (const part of PARTS) cpSync(join(ROOT, part), join(to, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
  return { main: join(to, 'src/main.ts'), upgrade: holdsS => upgrade(to, holdsS) }
}

function upgrade(tree: string, holdsS: number) {
  const path = join(tree, 'package.json')
  const about = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  const version = `${about.version}-next`
  writeFileSync(path, JSON.stringify({ ...about, version }))
  const last = Math.max(
    ...readdirSync(join(tree, 'migrations')).flatMap(name => Number(name.slice(0, 4)) || []),
  )
  const migration = `${String(last + 1).padStart(4, '0')}_next.sql`
  writeFileSync(join(tree, 'migrations', migration), `${MIGRATION}select pg_sleep(${holdsS});\n`)
  return { version, migration }
}

/** Adds columns like a real version, to the tables that are always in use. */
const MIGRATION = `
alter table api_key add column next_note text, add column next_count integer not null default 0;
alter table webhook_endpoint add column next_note text, add column next_count integer not null default 0;
alter table scan_setting add column next_note text, add column next_count integer not null default 0;
alter table passport add column next_note text, add column next_at timestamptz not null default now();
alter table content add column next_note text, add column next_count integer not null default 0;
alter table event add column next_note text, add column next_count integer not null default 0;
alter table refresh_job add column next_note text;
create index passport_next on passport (account_id, next_at);
do $$
declare body text;
begin
  select replace(pg_get_functiondef('carnet_fan_out()'::regprocedure), 'return null;', 'perform 1; return null;')
    into body;
  execute body;
end $$;
`
