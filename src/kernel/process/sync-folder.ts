/** After a power cut, a created, renamed or linked file exists only if its folder was synced too. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
