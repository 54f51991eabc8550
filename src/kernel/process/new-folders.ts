/** A new folder survives a power cut only if the folder that it is in was synced. */
import { dirname } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/** `first`: the outermost folder that was created on the way to `folder`, as `mkdir` returns it. */
export function syncNewFolders(folder: string, first: string | undefined): void {
  if (first === undefined) return
  for (let path = folder; ; path = dirname(path)) {
    syncFolder(dirname(path))
    if (path === first || path === dirname(path)) return
  }
}
