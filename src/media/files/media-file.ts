/** A file of an account, and how its row and its objects are named. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import type { MediaType } from './media-type.ts'
import { listWidths, type PictureWidth, VARIANT_TYPES, type VariantType } from './prepared-file.ts'
import { missingFileError } from './withdrawn-media.ts'

export const MEDIA_KINDS = ['picture', 'document'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]
export const KIND_LETTER = { picture: 'p', document: 'd' } as const satisfies Record<MediaKind, string>

export type MediaFile = {
  /** SHA-256 of the bytes as they were sent, 64 hexadecimal digits. */
  id: string
  kind: MediaKind
  /** `processing`: being stored; nothing may refer to it yet. */
  status: 'ready' | 'processing'
  type: MediaType
  bytes: number
  /** Pixels, of the upright picture; null for a document. */
  width: number | null
  height: number | null
  /** `#rrggbb`; null for a document. */
  color: string | null
  createdAt: Date
}

export const MEDIA_ID = /^[0-9a-f]{64}$/

/** Throws `not_found` for a text that is not the id of any file. */
export function requireMediaId(text: string): string {
  if (!MEDIA_ID.test(text)) throw notFound('file')
  return text
}

type MediaRow = Omit<MediaFile, 'kind' | 'status'> & { kind: 'p' | 'd'; status: 'p' | 'r' }

export const mediaColumns = (sql: Sql): Fragment => sql`
  encode(m.id, 'hex') as id, m.kind, m.status, m.type, m.bytes, m.width, m.height, m.color,
  m.created_at as "createdAt"`

export const toMediaFile = ({ kind, status, ...row }: MediaRow): MediaFile => ({
  ...row,
  kind: kind === 'p' ? 'picture' : 'document',
  status: status === 'r' ? 'ready' : 'processing',
})

/** Files that are being deleted are gone. */
export async function findMedia(ctx: AccountContext, id: string): Promise<MediaFile | undefined> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<MediaRow[]>`
    select ${mediaColumns(sql)} from media m
    where m.account_id = ${accountId} and m.id = decode(${id}, 'hex') and m.status <> 'd'`
  return row && toMediaFile(row)
}

/** Throws `not_found`, and `gone` if the file was withdrawn. */
export async function getMedia(ctx: AccountContext, id: string): Promise<MediaFile> {
  const found = await findMedia(ctx, id)
  if (found === undefined) throw await missingFileError(ctx, id)
  return found
}

/** Where the bytes are in the store, as they were sent. */
export const originalKey = (accountId: number, id: string): string => `${accountId}/${id}/original`

export const variantKey = (accountId: number, id: string, width: PictureWidth, type: VariantType): string =>
  `${accountId}/${id}/${width}.${type}`

/** The address of the largest JPEG; `width` in pixels, of the picture. */
export const buildPictureUrl = (publicUrl: string, { id, width }: { id: string; width: number }): string =>
  `${publicUrl}/m/${id}/${listWidths(width).at(-1)}.jpg`

/** The keys of all objects of a file. */
export const listObjectKeys = (
  accountId: number,
  { id, width }: Pick<MediaFile, 'id' | 'width'>,
): string[] => [
  originalKey(accountId, id),
  ...(width === null
    ? []
    : listWidths(width).flatMap(one =>
        Object.keys(VARIANT_TYPES).map(type => `${accountId}/${id}/${one}.${type}`),
      )),
]

/** All addresses of a file; `width` is null for a document. */
export const listFileUrls = (publicUrl: string, { id, width }: Pick<MediaFile, 'id' | 'width'>): string[] =>
  width === null
    ? [`${publicUrl}/d/${id}`]
    : listWidths(width).flatMap(one =>
        Object.keys(VARIANT_TYPES).map(type => `${publicUrl}/m/${id}/${one}.${type}`),
      )
