/** Reads the block “From the brand” for the page of a passport, with its picture's file. */
import { type BrandStory, findStory } from '../../accounts/brand/story.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase } from '../../kernel/db/shards.ts'
import type { Addresses } from '../core/record.ts'
import type { PublicPassportRow } from '../read/find.ts'
import { findPictureFile, type PictureFile } from '../read/picture-files.ts'

/** `file` is undefined without a picture, or if its file is missing. */
export type PageStory = BrandStory & { file: PictureFile | undefined }

export async function readStory(
  sql: Sql,
  addresses: Addresses,
  row: Pick<PublicPassportRow, 'account_id' | 'shard'>,
): Promise<PageStory | undefined> {
  const story = await findStory({ sql: getSharedDatabase(sql), accountId: row.account_id })
  if (story === undefined) return undefined
  const { picture } = story
  const file = picture === null ? undefined : await findPictureFile(sql, addresses, row, picture.media)
  return { ...story, file }
}
