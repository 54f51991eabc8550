/** The picture of the block “From the brand”, which counts as used while the block shows it. */
import { findHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { listStoryAccounts } from '../../accounts/brand/story.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalidField, type Path } from '../../kernel/errors/errors.ts'
import { MEDIA_ID } from '../files/media-file.ts'
import type { PublicMedia } from '../files/public-media.ts'

/**
 * Locks the picture until the transaction ends, so that nobody deletes it. `ctx` is at the account's home.
 * Throws `unknown_media` of `path` if the account has no such picture that is ready.
 */
export async function lockPicture({ sql, accountId }: AccountContext, id: string, path: Path): Promise<void> {
  const found = MEDIA_ID.test(id)
    ? await sql`
        select 1 from media
        where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r' and kind = 'p' for share`
    : []
  if (found.length > 0) return
  const message = `${path.join('.')} must be the id of a picture of this account, as POST /media returns it.`
  throw invalidField(path, 'unknown_media', message)
}

/**
 * The picture, if any account shows it in its block now. It is not stored as public: what a block no longer
 * shows may be deleted.
 */
export async function findBrandPicture(sql: Sql, id: string): Promise<PublicMedia | undefined> {
  for (const accountId of await listStoryAccounts(sql, id)) {
    const home = await findHome(sql, accountId)
    const [row] = await home.sql<{ width: number }[]>`
      select width from media
      where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r' and kind = 'p'`
    if (row !== undefined) return { id, accountId, width: row.width, name: '' }
  }
  return undefined
}
