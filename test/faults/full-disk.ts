/** Fills a separate file system while clients write, then frees it again. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fillDisk, mountSmallDisk, unmountSmallDisk } from '../small-disk.ts'
import { lookThrough, say, tell } from './look-through.ts'
import { openStand } from './stand.ts'

const DISK = '220m'

/** Returns the number of losses. */
export async function fullDisk(): Promise<number> {
  const folder = mountSmallDisk(DISK)
  if (folder === undefined) {
    say('full disk: left out, because this user may not mount a file system to fill')
    return 0
  }
  try {
    const stand = await openStand(folder)
    stand.clients.start()
    await pause(2_000)
    const filler = join(folder, 'filler')
    fillDisk(filler)
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
    unmountSmallDisk(folder)
  }
}
