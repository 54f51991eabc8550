/**
 * The roles of the embedded database: the superuser prepares the others, the owner migrates and restores, the
 * traffic role does everything else. Only Carnet's user can read their password.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import { isLockTimeout, openPool } from '../db/database.ts'
import { grantTraffic } from '../db/traffic-role.ts'
import { unavailable } from '../errors/errors.ts'
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

/** The password in the data directory, created at first use. Only under the process lock. */
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

/** Replaces a file completely or not at all, also in a power cut. The file gets the owner of the folder. */
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

/** Takes effect when the server starts or gets SIGHUP. */
export const requirePassword = (pgDir: string): void =>
  replaceFile(join(pgDir, HBA_FILE), PASSWORD_ONLY, 0o600)

/** For a data directory with a lost password. Anybody who may write its files may read all data anyway. */
export const dropPassword = (pgDir: string): void => replaceFile(join(pgDir, HBA_FILE), NO_PASSWORD, 0o600)

export type ServerLogin = { socketDir: string; user: string; password: string; database: string }

/** `socket` is missing in the driver's types. */
type ConnectionOptions = postgres.Options<Record<string, postgres.PostgresType>> & {
  socket?: () => Promise<Socket>
}

/** A single connection; `name` identifies it in the server's list of connections. */
export const connectAs = (
  { socketDir, ...login }: ServerLogin,
  name: string,
  { connection, ...options }: ConnectionOptions = {},
): postgres.Sql =>
  postgres({
    ...login,
    host: socketDir,
    path: getSocketPath(socketDir),
    port: SOCKET_PORT,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    // The driver would print notices to standard output.
    onnotice: () => {},
    connection: { application_name: name, ...connection },
    ...options,
  })

/**
 * Creates the owner and traffic roles, sets their password, and gives the owner what the superuser owned in
 * the database. Also for a database of version 0.1, where the superuser did everything. Repeatable.
 */
export async function prepareRoles(superuser: ServerLogin): Promise<void> {
  const sql = openPool({ ...superuser, port: SOCKET_PORT }, { max: 1, name: 'carnet roles' })
  const { database, password } = superuser
  try {
    await sql.begin(async tx => {
      await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
      await tx.unsafe(roleStatements(database, password)).simple()
      await tx.unsafe(GIVE_TO_OWNER).simple()
      await grantTraffic(tx, TRAFFIC)
    })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw unavailable('The tables of the embedded database are locked by another connection.')
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

/** REASSIGN OWNED rejects initdb's role. Parts of extensions and sequences of columns follow their owners. */
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

export async function hasRoles(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_roles where rolname in (${OWNER}, ${TRAFFIC})`
  return row?.n === 2
}
