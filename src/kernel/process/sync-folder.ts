/** A file that was made, renamed or linked is there after a power cut only when its folder was synced too. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
