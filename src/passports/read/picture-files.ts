/** The files of a passport: what pages and documents of standards need to show them. */
import { listFiles } from '../../categories/disclose.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import {
  buildPictureUrl,
  KIND_LETTER,
  MEDIA_ID,
  MEDIA_KINDS,
  type MediaKind,
} from '../../media/files/media-file.ts'
import { findWithdrawals, NO_WITHDRAWALS, type Withdrawals } from '../../media/files/withdrawn-media.ts'
import type { Addresses, PassportRow } from '../core/record.ts'
import { getDisclosedCategory } from './disclosed-category.ts'
import type { PublicPassportRow } from './find.ts'

/** Pixels of the upright picture; `color`: `#rrggbb`; `url`: the address of its largest JPEG. */
export type PictureFile = { width: number; height: number; color: string; url: string }
/** By the id of the file. */
export type PictureFiles = ReadonlyMap<string, PictureFile>

type PicturedRow = Pick<PassportRow, 'account_id' | 'data'> &
  Pick<PublicPassportRow, 'shard' | 'withdrawn_files'> &
  Parameters<typeof getDisclosedCategory>[0]

export const NO_PICTURES: PictureFiles = new Map()

/** `withdrawn`: files to which the data refers and that have no bytes any more. */
export type DocumentFiles = { pictures: PictureFiles; withdrawn: Withdrawals }
/** `documentBytes`: the size of each document, by the id of its file. */
export type PassportFiles = DocumentFiles & { documentBytes: ReadonlyMap<string, number> }

export const NO_FILES: PassportFiles = {
  pictures: NO_PICTURES,
  withdrawn: NO_WITHDRAWALS,
  documentBytes: new Map(),
}

type FileRow = {
  id: string
  bytes: number
  width: number | null
  height: number | null
  color: string | null
}

/** Does not ask the database unless the data has pictures, or files were withdrawn. */
export async function findDocumentFiles(
  sql: Sql,
  addresses: Addresses,
  row: PicturedRow,
): Promise<DocumentFiles> {
  const hasFiles = row.withdrawn_files > 0 && row.data.includes('"media"')
  if (!hasFiles && !row.data.includes('"pictures"')) return NO_FILES
  return readFiles(sql, addresses, row, ['picture'])
}

/** Pictures and documents. Does not ask the database unless the data has some. */
export async function findPassportFiles(
  sql: Sql,
  addresses: Addresses,
  row: PicturedRow,
): Promise<PassportFiles> {
  if (!row.data.includes('"media"')) return NO_FILES
  return await readFiles(sql, addresses, row, MEDIA_KINDS)
}

async function readFiles(
  sql: Sql,
  addresses: Addresses,
  row: PicturedRow,
  kinds: readonly MediaKind[],
): Promise<PassportFiles> {
  const files = listFiles(getDisclosedCategory(row), JSON.parse(row.data)).filter(({ id }) =>
    MEDIA_ID.test(id),
  )
  const wanted = files.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)
  const [rows, withdrawn] = await Promise.all([
    wanted.length === 0 ? [] : readRows(sql, row, wanted, kinds),
    row.withdrawn_files === 0 || files.length === 0 ? NO_WITHDRAWALS : readWithdrawals(sql, row, files),
  ])
  const documents = rows.flatMap(({ id, width, bytes }): [string, number][] =>
    width === null ? [[id, bytes]] : [],
  )
  return { pictures: toPictureFiles(addresses, rows), documentBytes: new Map(documents), withdrawn }
}

const readWithdrawals = (
  sql: Sql,
  { account_id, shard }: Place,
  files: readonly { id: string }[],
): Promise<Withdrawals> =>
  findWithdrawals(
    getShard(sql, shard),
    account_id,
    files.map(({ id }) => id),
  )

type Place = Pick<PicturedRow, 'account_id' | 'shard'>

function readRows(
  sql: Sql,
  { account_id, shard }: Place,
  ids: readonly string[],
  kinds: readonly MediaKind[],
): Promise<FileRow[]> {
  const letters = kinds.map(kind => KIND_LETTER[kind])
  return getShard(sql, shard)<FileRow[]>`
    select encode(m.id, 'hex') as id, m.bytes, m.width, m.height, m.color from media m
    where m.account_id = ${account_id} and m.kind = any(${letters}::"char"[])
      and m.id = any(${ids.map(id => `\\x${id}`)}::text[]::bytea[])`
}

const toPictureFiles = ({ publicUrl }: Addresses, rows: readonly FileRow[]): PictureFiles =>
  new Map(
    rows.flatMap(({ id, width, height, color }): [string, PictureFile][] =>
      width === null || height === null || color === null
        ? []
        : [[id, { width, height, color, url: buildPictureUrl(publicUrl, { id, width }) }]],
    ),
  )

/** A picture of the account, where its passport is; undefined if the account lacks it. */
export async function findPictureFile(
  sql: Sql,
  addresses: Addresses,
  place: Place,
  id: string,
): Promise<PictureFile | undefined> {
  return toPictureFiles(addresses, await readRows(sql, place, [id], ['picture'])).get(id)
}

/** The address of each picture, by the id of its file. */
export const listPictureAddresses = (files: PictureFiles): ReadonlyMap<string, string> =>
  new Map(Array.from(files, ([id, { url }]) => [id, url]))
