/**
 * Who may connect to the embedded database: three roles with one password, which only Carnet's own user can read. The
 * superuser prepares the others, the owner migrates and restores, and everything else is traffic.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import { grantTraffic } from '../db/traffic-role.ts'
import { AppError, findErrorCode } from '../errors.ts'
import { syncFolder } from '../process/sync-folder.ts'
import { getSocketPath, SOCKET_PORT } from './socket-directory.ts'

export const SUPERUSER = 'carnet'
export const OWNER = 'carnet_owner'
export const TRAFFIC = 'carnet_traffic'

const PASSWORD_FILE = 'database-password'
const HBA_FILE = 'pg_hba.conf'
const PASSWORD_ONLY = '# Written by Carnet at each start.\nlocal all all scram-sha-256\n'
const NO_PASSWORD = '# Written by Carnet, for a moment: the password was lost.\nlocal all all trust\n'
const LOCK_TIMEOUT = '1500ms'

/** The password kept in the data directory, made at first use. Only under the process lock. */
export function readPassword(dataDir: string): string {
  const path = join(dataDir, PASSWORD_FILE)
  if (existsSync(path)) {
    const password = readFileSync(path, 'utf8').trim()
    if (password !== '') return password
  }
  const password = randomBytes(32).toString('base64url')
  replaceFile(path, `${password}\n`, 0o600)
  return password
}

/** Whole or not at all, also after a power cut; it belongs to the owner of the folder. */
function replaceFile(path: string, text: string, mode: number): void {
  const beside = `${path}.new`
  const folder = dirname(path)
  writeFileSync(beside, text, { mode, flush: true })
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0) chownSync(beside, uid, gid)
  renameSync(beside, path)
  syncFolder(folder)
}

export const needsPassword = (pgDir: string): boolean =>
  existsSync(join(pgDir, HBA_FILE)) && readFileSync(join(pgDir, HBA_FILE), 'utf8') === PASSWORD_ONLY

/** Takes effect when the server reads it: at its start, or when it is told to. */
export const requirePassword = (pgDir: string): void =>
  replaceFile(join(pgDir, HBA_FILE), PASSWORD_ONLY, 0o600)

/** For a data directory whose password is lost: who may write its files may do anything with it. */
export const dropPassword = (pgDir: string): void => replaceFile(join(pgDir, HBA_FILE), NO_PASSWORD, 0o600)

type Server = { socketDir: string; password: string; database: string }

/**
 * Makes the owner and the role of the traffic, gives them the password, and what the superuser owned in the database to
 * the owner. Also on a database of version 0.1, where the superuser did everything. Safe to repeat.
 */
export async function prepareRoles({ socketDir, password, database }: Server): Promise<void> {
  const sql = postgres({
    host: socketDir,
    path: getSocketPath(socketDir),
    port: SOCKET_PORT,
    user: SUPERUSER,
    password,
    database,
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'carnet roles' },
  })
  try {
    await sql.begin(async tx => {
      await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
      await tx.unsafe(roleStatements(database, password)).simple()
      await tx.unsafe(GIVE_TO_OWNER).simple()
      await grantTraffic(tx, TRAFFIC)
    })
  } catch (error) {
    if (findErrorCode(error) !== '55P03') throw error
    throw new AppError('unavailable', 'The tables of the embedded database are locked by somebody else.')
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The password has only letters, digits, `-` and `_`. */
const roleStatements = (database: string, password: string) => `
do $$ begin
  if to_regrole('${OWNER}') is null then create role ${OWNER}; end if;
  if to_regrole('${TRAFFIC}') is null then create role ${TRAFFIC}; end if;
end $$;
alter role ${SUPERUSER} password '${password}';
alter role ${OWNER} login password '${password}';
alter role ${TRAFFIC} login password '${password}';
grant pg_read_all_stats to ${TRAFFIC};
alter database "${database}" owner to ${OWNER};`

/** REASSIGN OWNED refuses the role that initdb made. What belongs to an extension, and sequences of columns, go with it. */
const GIVE_TO_OWNER = `
do $$
declare statement text;
begin
  for statement in
    select format('alter table %s owner to ${OWNER}', c.oid::regclass) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and c.relowner = '${SUPERUSER}'::regrole
        and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
    union all
    select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure) from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proowner = '${SUPERUSER}'::regrole
        and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
  loop execute statement; end loop;
end $$;`

/** Whether both roles are there, by a connection of the superuser's. */
export async function hasRoles(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_roles where rolname in (${OWNER}, ${TRAFFIC})`
  return row?.n === 2
}
