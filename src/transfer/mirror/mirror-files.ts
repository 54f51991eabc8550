/**
 * Pictures and documents in a mirror. Passports share them, and what was public stays public, unless the
 * operator has withdrawn it.
 */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { exportWithdrawnMedia } from '../../media/upkeep/withdrawal-rows.ts'
import { isSharedFile, type StaticFile } from '../static/passport-pages.ts'
import type { MirrorFolder } from './mirror-folder.ts'

export type MirroredFiles = ReturnType<typeof openMirroredFiles>

/** The first two parts of a path: `m/` or `d/` and the id of a file. Undefined for any other path. */
const findGroup = (path: string): string | undefined =>
  isSharedFile(path) && !path.startsWith('brand/') ? path.split('/', 2).join('/') : undefined

/** For one run. `isFull`: files of earlier runs are compared with those of the server. */
export function openMirroredFiles(mirror: MirrorFolder, isFull: boolean) {
  const put = new Set<string>()
  return {
    isOwn: ({ path }: Pick<StaticFile, 'path'>): boolean => findGroup(path) !== undefined,
    /** Returns true if the mirror has the file, so that it need not be read again. */
    has(path: string): boolean {
      const group = findGroup(path)
      return put.has(path) || (!isFull && group !== undefined && mirror.hasFile(group, path))
    },
    async put(...files: readonly StaticFile[]): Promise<void> {
      for (const [name, some] of Map.groupBy(files, ({ path }) => findGroup(path))) {
        if (name === undefined) continue
        const group = await mirror.openGroup(name, { keeps: true, reads: isFull })
        await group.put(...some)
        await group.close()
        for (const { path } of some) put.add(path)
      }
    },
  }
}

export async function removeWithdrawnFiles(ctx: AccountContext, mirror: MirrorFolder): Promise<void> {
  const { sql, accountId } = atHome(ctx)
  for (const { id } of await exportWithdrawnMedia(sql, accountId))
    for (const folder of ['m', 'd']) {
      const group = await mirror.openGroup(`${folder}/${id}`, { keeps: false, reads: false })
      await group.close()
    }
}
