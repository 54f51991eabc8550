/** The files of a passport's pictures: what pages and documents need to show them. */
import { listPictureIds } from '../../categories/picture-addresses.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { buildPictureUrl, MEDIA_ID } from '../../media/media-file.ts'
import type { Addresses, PassportRow } from '../core/record.ts'
import { getDisclosedCategory } from './disclosed-category.ts'
import type { PublicPassportRow } from './find.ts'

/** Pixels of the upright picture; `color`: `#rrggbb`; `url`: the address of its largest JPEG. */
export type PictureFile = { width: number; height: number; color: string; url: string }
/** By the id of the file. */
export type PictureFiles = ReadonlyMap<string, PictureFile>

type PicturedRow = Pick<PassportRow, 'account_id' | 'data'> &
  Pick<PublicPassportRow, 'shard'> &
  Parameters<typeof getDisclosedCategory>[0]

export const NO_PICTURES: PictureFiles = new Map()

/** Does not ask the database unless the data has pictures. */
export async function findPictureFiles(
  sql: Sql,
  { publicUrl }: Addresses,
  row: PicturedRow,
): Promise<PictureFiles> {
  if (!row.data.includes('"pictures"')) return NO_PICTURES
  const listed = listPictureIds(getDisclosedCategory(row), JSON.parse(row.data))
  const ids = listed.filter(id => MEDIA_ID.test(id)).map(id => `\\x${id}`)
  if (ids.length === 0) return NO_PICTURES
  const rows = await getShard(sql, row.shard)<(Omit<PictureFile, 'url'> & { id: string })[]>`
    select encode(m.id, 'hex') as id, m.width, m.height, m.color from media m
    where m.account_id = ${row.account_id} and m.kind = 'p' /* picture */ and m.id = any(${ids}::text[]::bytea[])`
  return new Map(
    rows.map(({ id, ...file }) => [id, { ...file, url: buildPictureUrl(publicUrl, { id, ...file }) }]),
  )
}

/** The address of each picture, by the id of its file. */
export const listPictureAddresses = (files: PictureFiles): ReadonlyMap<string, string> =>
  new Map(Array.from(files, ([id, { url }]) => [id, url]))
