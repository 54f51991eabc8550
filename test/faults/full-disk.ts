/** Fills a separate file system while clients write, then frees it again. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyFolder } from '../cli/processes.ts'
import { lookThrough, say, tell } from './look-through.ts'
import { openStand } from './stand.ts'

const DISK = '220m'

/** Returns the number of losses. */
export async function fullDisk(): Promise<number> {
  const folder = await emptyFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'carnet-faults', folder.path], {
      stdio: 'ignore',
    })
  } catch {
    say('full disk: left out, because this user may not mount a file system to fill')
    await folder.remove()
    return 0
  }
  try {
    const stand = await openStand(folder.path)
    stand.clients.start()
    await pause(2_000)
    const filler = join(folder.path, 'filler')
    fill(filler)
    await pause(6_000)
    await rm(filler)
    await stand.untilReady()
    await pause(2_000)
    // The whole disk is smaller than the free space that doctor requires.
    const found = await lookThrough(stand, { aside: ['data directory'] })
    const lost = tell('full disk', stand.clients, found)
    await stand.close()
    return lost
  } finally {
    execFileSync('umount', ['-l', folder.path])
    await folder.remove()
  }
}

function fill(path: string): void {
  for (let size = 64 * 1024 * 1024; size >= 4_096; size /= 2) {
    for (;;) {
      try {
        writeFileSync(path, Buffer.alloc(size, 1), { flag: 'a' })
      } catch {
        break
      }
    }
  }
}
