/** How many pictures and documents the plan of an account lets it store. */
import type { AccountContext } from '../account/context.ts'

/** `bytes`: as they were sent. Null: unlimited. */
export type MediaQuota = { files: number | null; bytes: number | null }

export async function getMediaQuota({ sql, accountId }: AccountContext): Promise<MediaQuota> {
  const [row] = await sql<MediaQuota[]>`
    select p.media_file_quota as files, p.media_byte_quota as bytes
    from account a join plan p on p.id = a.plan where a.id = ${accountId}`
  return row ?? { files: 0, bytes: 0 }
}
