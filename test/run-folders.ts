/** The temporary folders of test runs: in memory if there is room, and removed after a run that was killed. */
import { existsSync, globSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findPostmaster, shutDown } from '../src/kernel/postgres-server/postmaster.ts'

/** The prefix of a run's folder; the run's process id follows. */
export const FOLDER = 'carnet-test-'
/** In memory, creating databases takes a tenth of its time on a disk, and transfer/shards a quarter. */
const MEMORY = '/dev/shm'
/** A run needs less than half of it. */
const MEMORY_BYTES = 2 * 2 ** 30
export const TEMPORARY = process.env.TMPDIR === undefined && hasMemory() ? MEMORY : tmpdir()

/** Removes the folders of killed runs: those whose process no longer exists. */
export async function sweepLeftovers(): Promise<void> {
  for (const folder of new Set([TEMPORARY, tmpdir()])) {
    for (const name of readdirSync(folder)) {
      const pid = name.startsWith(FOLDER)
        ? Number(/^\d+(?=-)/.exec(name.slice(FOLDER.length))?.[0])
        : Number.NaN
      if (!Number.isNaN(pid) && !existsSync(`/proc/${pid}`) && process.platform === 'linux') {
        await removeFolder(join(folder, name))
      }
    }
  }
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= MEMORY_BYTES
}

/** Stops the servers that killed tests left in the folder, then removes it. */
export async function removeFolder(folder: string): Promise<void> {
  for (const file of globSync('{*,*/*,*/*/*}/postmaster.pid', { cwd: folder })) {
    const left = findPostmaster(dirname(join(folder, file)))
    if (left !== undefined) await shutDown(left)
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
