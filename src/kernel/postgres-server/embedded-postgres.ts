/**
 * A PostgreSQL that needs no installed service. The first Carnet process starts it and the last one stops it,
 * both under one lock, so that nobody joins a stopping server.
 */
import { mkdir, realpath, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, findErrorCode, isDiskFull, toError, unavailable } from '../errors/errors.ts'
import { withProcessLock } from '../process/process-lock.ts'
import { sendSignal } from '../process/processes.ts'
import { findBinaries, readMajorVersion } from './binaries.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { createLauncher, findServerUser } from './launcher.ts'
import {
  findPostmaster,
  launchPostmaster,
  type Postmaster,
  readPidFile,
  removeMisleadingPidFile,
  shutDown,
  waitUntilReady,
} from './postmaster.ts'
import { announcePresence, type Presence } from './presence.ts'
import {
  dropPassword,
  needsPassword,
  OWNER,
  prepareRoles,
  readPassword,
  requirePassword,
  type ServerLogin,
  SUPERUSER,
  TRAFFIC,
} from './server-access.ts'
import {
  checkSocketDirectory,
  chooseSocketDirectory,
  makeSocketDirectory,
  requireTemporaryFolder,
  SOCKET_PORT,
} from './socket-directory.ts'

export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>

type EmbeddedPostgresOptions = {
  /** Contains `pg/`, `postgres.log` and, during a start or stop, `pg.lock`. Created if missing. */
  dataDir: string
  /** Folder with `initdb` and `postgres`; by default that of the npm package for this platform. */
  binDir?: string | undefined
  log: (line: string) => void
  /** Override the built-in settings when the server starts. */
  settings?: Readonly<Record<string, string>>
}

const DATABASE = 'carnet'
/** Crash recovery reads at most `max_wal_size`; this leaves time for a slow disk. */
const READY_TIMEOUT_MS = 60_000
const LOCK_TIMEOUT_MS = 75_000
const LEAVE_TIMEOUT_MS = 4_000
const RETRY_MS = 20

type Place = Awaited<ReturnType<typeof findPlace>>
type Running = { postmaster: Postmaster; adopted: boolean }

/**
 * Starts the server, or joins the one running on the data directory. Throws AppError `unavailable` with a
 * sentence that says what to do.
 */
export const startEmbeddedPostgres = (options: EmbeddedPostgresOptions) =>
  explainFileErrors(options.dataDir, async () => {
    const place = await findPlace(options)
    const { adopted, superuser, presence } = await withProcessLock(databaseLock(place, LOCK_TIMEOUT_MS), () =>
      startOrJoin(place),
    )
    const target = { ...superuser, port: SOCKET_PORT }
    let left: Promise<void> | undefined
    return {
      /**
       * The superuser, used only to prepare the other two. The socket is `.s.PGSQL.{port}` in `socketDir`.
       */
      ...target,
      /** Migrates and restores. */
      owner: { ...target, user: OWNER },
      /** Used for everything else. It cannot change append-only rows. */
      traffic: { ...target, user: TRAFFIC },
      /** For example `18.4`. */
      version: presence.version,
      /** The server was already running: left by a killed process, or in use by another one. */
      adopted,
      /** Leaves the server. The last process stops it: within five seconds, usually a tenth of one. */
      stop() {
        left ??= leaveUnderLock(place, presence)
        return left
      },
    }
  })

async function findPlace(options: EmbeddedPostgresOptions) {
  if (process.platform === 'win32') {
    throw unavailable('There is no embedded PostgreSQL on Windows: set DATABASE_URL.')
  }
  await mkdir(options.dataDir, { recursive: true })
  const dataDir = await realpath(options.dataDir)
  const pgDir = join(dataDir, 'pg')
  return {
    ...options,
    dataDir,
    pgDir,
    user: findServerUser(pgDir),
    lockFile: join(dataDir, 'pg.lock'),
    logFile: join(dataDir, 'postgres.log'),
  }
}

async function startOrJoin(place: Place) {
  const until = performance.now() + READY_TIMEOUT_MS
  const password = readPassword(place.dataDir)
  for (;;) {
    const running = await findOrStartServer(place, until)
    const { socketDir, pid } = running.postmaster
    const superuser = { socketDir, user: SUPERUSER, password, database: DATABASE }
    let presence: Presence | undefined
    try {
      presence = await announcePresence(superuser)
      await prepareAccess(place, running, superuser, presence)
      return { adopted: running.adopted, superuser, presence }
    } catch (error) {
      await presence?.end()
      if (performance.now() > until) throw error
      if (findErrorCode(error) === WRONG_PASSWORD) {
        place.log('the password of the database does not match: setting a new one')
        dropPassword(place.pgDir)
        sendSignal(pid, 'SIGHUP')
      }
      // The server has just crashed, or is recovering from a crash of a child.
      place.log(`the database does not answer yet: ${toError(error).message}`)
      await pause(RETRY_MS)
    }
  }
}

const WRONG_PASSWORD = '28P01'

/**
 * Creates missing roles. The password is required only when no process of version 0.1, which has none, can be
 * connected: never while a server runs that others started.
 */
async function prepareAccess(
  { pgDir }: Place,
  { postmaster, adopted }: Running,
  superuser: ServerLogin,
  presence: Presence,
): Promise<void> {
  if (needsPassword(pgDir) && presence.hasRoles) return
  const isAlone = !adopted || (await presence.countOthers()) === 0
  if (presence.hasRoles && !isAlone) return
  await prepareRoles(superuser)
  if (!isAlone) return
  requirePassword(pgDir)
  sendSignal(postmaster.pid, 'SIGHUP')
}

async function findOrStartServer(place: Place, until: number): Promise<Running> {
  const { pgDir, log } = place
  for (let found = findPostmaster(pgDir); found; found = findPostmaster(pgDir)) {
    if (!found.isReady) log(`PostgreSQL ${found.pid} is running but not ready yet: waiting`)
    const postmaster = await waitUntilReady(pgDir, found.pid, until)
    if (postmaster === undefined) continue
    await checkSocketDirectory(postmaster.socketDir, place.user)
    log(`joined PostgreSQL ${postmaster.pid}`)
    return { postmaster, adopted: true }
  }
  return { postmaster: await start(place, until), adopted: false }
}

async function start(place: Place, until: number): Promise<Postmaster> {
  const { dataDir, pgDir, logFile, log, settings = {} } = place
  const binDir = findBinaries(place.binDir)
  const socketDir = chooseSocketDirectory(pgDir, readPidFile(pgDir)?.socketDir)
  requireTemporaryFolder(dirname(socketDir))
  const launcher = await createLauncher(place.user, [dataDir, binDir, dirname(socketDir)], binDir)
  const major = await readMajorVersion(binDir, launcher)
  const programs = { binDir, major, launcher }
  await makeSocketDirectory(socketDir, launcher.user)
  try {
    const found = await prepareDataDirectory(pgDir, programs, {
      user: SUPERUSER,
      fsync: settings.fsync !== 'off',
    })
    if (found === 'created') log(`created a database of PostgreSQL ${major} in ${pgDir}`)
    await removeMisleadingPidFile(pgDir)
    const postmaster = await launchPostmaster({ pgDir, socketDir, logFile, settings, ...programs }, until)
    log(`started PostgreSQL ${postmaster.pid} as ${launcher.user.name}, socket in ${socketDir}`)
    return postmaster
  } catch (error) {
    await rmdir(socketDir).catch(() => {})
    throw error
  }
}

const databaseLock = ({ lockFile }: Place, timeoutMs: number) => ({
  path: lockFile,
  timeoutMs,
  message: `Another Carnet has been starting or stopping the database for more than ${Math.round(timeoutMs / 1000)} seconds. Wait until it has finished, or stop it. Its lock is ${lockFile}.`,
})

/** A process that holds the lock for longer is starting or stopping the server. */
async function leaveUnderLock(place: Place, presence: Presence): Promise<void> {
  try {
    await withProcessLock(databaseLock(place, LEAVE_TIMEOUT_MS), () => leave(place, presence))
  } catch (error) {
    // If there is no room even for the lock, nobody has it: `symlink` says first that a name exists.
    if (isDiskFull(error)) return await leave(place, presence)
    if (!(error instanceof AppError)) throw error
    place.log(error.message)
  } finally {
    await presence.end()
  }
}

/** Stops the server unless others use it. One that does not respond is useless to them too. */
async function leave({ pgDir, log }: Place, presence: Presence): Promise<void> {
  const others = await presence.countOthers().catch(() => 0)
  await presence.end()
  if (others > 0) return log(`PostgreSQL keeps running for other processes (${others})`)
  const postmaster = findPostmaster(pgDir)
  if (postmaster === undefined) return
  await shutDown(postmaster)
  // Fails and keeps the folder if it is not empty.
  if (postmaster.socketDir !== '') await rmdir(postmaster.socketDir).catch(() => {})
  log(`stopped PostgreSQL ${postmaster.pid}`)
}

/** Only the operator can fix errors of the file system. */
async function explainFileErrors<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    const wayOut =
      error.code === 'EACCES' || error.code === 'EPERM'
        ? 'this user may not. Start Carnet as the user it belongs to, or set DATA_DIR to another folder'
        : isDiskFull(error)
          ? `its disk is full (${error.message}). Free some space`
          : error.message
    throw unavailable(`The data directory ${dataDir} cannot be used: ${wayOut}.`)
  }
}
