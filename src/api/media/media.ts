/** `/media`: the pictures and documents of an account. */
import { createHash } from 'node:crypto'
import { getMediaQuota } from '../../accounts/limits/media-quota.ts'
import { buildDocumentUrl } from '../../categories/document-addresses.ts'
import {
  deleteMediaOrFetch,
  getMediaOrFetch,
  type MediaFetch,
  type MediaOrFetch,
  requestMediaFetch,
} from '../../media/fetch/media-fetch.ts'
import { buildPictureUrl, MEDIA_KINDS, type MediaFile } from '../../media/files/media-file.ts'
import { type AddedMedia, addMedia } from '../../media/upkeep/add-media.ts'
import { getMediaUsage, listMedia, type MediaCursor } from '../../media/upkeep/list-media.ts'
import { isNamedInDraft } from '../../passports/drafts/named-in-drafts.ts'
import { invalidMember, objectBody } from '../endpoint/body.ts'
import { MAX_SMALL_BODY_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  DATE_TIME,
  dataResponse,
  INTEGER,
  jsonResponse,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { type AccountCall, defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { choiceParameter, LIMIT, type QueryParameter } from '../endpoint/query-parameters.ts'
import { isUploadedFile, type UploadedFile } from './read-upload.ts'

export const EXAMPLE_MEDIA_ID = createHash('sha256').update('an example').digest('hex')

const EXAMPLE_MEDIA = {
  id: EXAMPLE_MEDIA_ID,
  kind: 'picture',
  type: 'image/jpeg',
  bytes: 482_113,
  width: 2_400,
  height: 1_600,
  color: '#8d7b6a',
  status: 'ready',
  reason: null,
  created_at: '2026-11-20T09:30:00.000Z',
  url: `https://passports.example/m/${EXAMPLE_MEDIA_ID}/1280.jpg`,
}

const EXAMPLE_FETCH = {
  id: '01m7ywn5x8q2c5n6x7z9b1d4fg',
  kind: null,
  type: null,
  bytes: null,
  width: null,
  height: null,
  color: null,
  status: 'fetching',
  reason: null,
  created_at: '2026-11-20T09:30:00.000Z',
  url: null,
}

const toJson = ({ setup: { addresses } }: Pick<AccountCall, 'setup'>, file: MediaFile) => ({
  id: file.id,
  kind: file.kind,
  type: file.type,
  bytes: file.bytes,
  width: file.width,
  height: file.height,
  color: file.color,
  status: file.status,
  reason: null,
  created_at: file.createdAt.toISOString(),
  url: buildMediaUrl(addresses.publicUrl, file),
})

/** Nothing is known of the file yet. */
const toFetchJson = ({ id, status, reason, createdAt }: MediaFetch) => ({
  id,
  kind: null,
  type: null,
  bytes: null,
  width: null,
  height: null,
  color: null,
  status,
  reason,
  created_at: createdAt.toISOString(),
  url: null,
})

const toAnyJson = (call: Pick<AccountCall, 'setup'>, found: MediaOrFetch) =>
  'file' in found ? toJson(call, found.file) : toFetchJson(found.fetch)

const buildMediaUrl = (publicUrl: string, { id, width }: MediaFile): string =>
  width === null ? buildDocumentUrl(publicUrl, id) : buildPictureUrl(publicUrl, { id, width })

function buildResponse(call: AccountCall, { file, isNew }: AddedMedia) {
  return { status: isNew ? 201 : 200, body: successJson(JSON.stringify(toJson(call, file))), headers: {} }
}

const buildFetchResponse = (fetch: MediaFetch) => ({
  status: 202,
  body: successJson(JSON.stringify(toFetchJson(fetch))),
  headers: {},
})

const FILE_RESPONSE = { ...dataResponse('The file.', 'Media', EXAMPLE_MEDIA), isIllustration: true } as const

const EXAMPLE_SOURCE_URL = 'https://pictures.example/rucksack.jpg'

const SOURCE = objectBody({
  source_url: {
    schema: {
      ...TEXT,
      format: 'uri',
      maxLength: 2_048,
      description: 'A public https address, from which the file is fetched.',
    },
    isRequired: true,
    read(value: unknown, name: string): string {
      if (typeof value === 'string') return value
      if (value !== undefined) throw invalidMember(name, 'type', 'must be a string.')
      const message = 'is missing. Send it, or the bytes of a file with their Content-Type.'
      throw invalidMember(name, 'required', message)
    },
  },
})

export const createMedia = defineEndpoint({
  method: 'POST',
  path: '/media',
  id: 'createMedia',
  tag: 'media',
  summary: 'Store a picture or document',
  description:
    'Send the bytes of a picture (JPEG, PNG, WebP, AVIF, GIF) or a PDF with their `Content-Type`, or `multipart/form-data` with one part `file`. At most 20 MiB; pictures of at most 50 megapixels and 12,000 pixels a side; PDFs without scripts, embedded files and encryption. Pictures are rendered in up to three widths, without their metadata. The `id` is the SHA-256 of the bytes: the same file again is 200 with the same id. Or send `{"source_url": "https://…"}` as JSON: the answer is 202 with a temporary id, and the file is fetched from that address within seconds. `GET /media/{id}` with the temporary id answers with `fetching`, then with the file and its own id, or with `refused` and the reason. The address must be public; it has 30 seconds, with at most 5 redirects. If it does not answer, it is asked up to 5 times within 40 minutes.',
  storesIdempotencyRecord: true,
  takesFile: true,
  body: {
    maxBytes: MAX_SMALL_BODY_BYTES,
    schema: SOURCE.schema,
    examples: { address: { summary: 'A file at an address', value: { source_url: EXAMPLE_SOURCE_URL } } },
    read: (sent: unknown): UploadedFile | { source_url: string } =>
      isUploadedFile(sent) ? sent : SOURCE.read(sent),
  },
  responses: {
    200: { ...FILE_RESPONSE, description: 'The account has this file already.' },
    201: FILE_RESPONSE,
    202: {
      ...FILE_RESPONSE,
      description: 'The file is fetched from `source_url`. The id is a temporary one.',
      example: { data: EXAMPLE_FETCH },
    },
  },
  errors: ['plan_limit', 'payload_too_large', 'unsupported_media_type'],
  async handle(call) {
    const { account, setup, body } = call
    if (isUploadedFile(body)) {
      const ctx = { ...account, ...setup.media }
      return buildResponse(call, await addMedia(ctx, body, added => buildResponse(call, added)))
    }
    const request = { sourceUrl: body.source_url, policy: setup.outbound.policy }
    return buildFetchResponse(await requestMediaFetch(account, request, buildFetchResponse))
  },
})

const CURSOR: QueryParameter<MediaCursor> = {
  description: '`meta.next_cursor` of the page before.',
  schema: TEXT,
  read(text, name) {
    const [, millis = '', id = ''] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(text) ?? []
    if (id !== '') return { createdAt: new Date(Number(millis)), id }
    return { code: 'format', message: `${name} must be the next_cursor of an earlier response.` }
  },
}

export const listMediaEndpoint = defineEndpoint({
  method: 'GET',
  path: '/media',
  id: 'listMedia',
  tag: 'media',
  summary: 'List pictures and documents',
  description: 'Newest first. `meta` has what is used of the quotas of the account.',
  query: {
    kind: choiceParameter('Only pictures, or only documents.', MEDIA_KINDS),
    unused: choiceParameter(
      'Only files to which no version of any passport and no block *From the brand* refers.',
      ['true'],
    ),
    limit: LIMIT,
    cursor: CURSOR,
  },
  responses: {
    200: {
      ...jsonResponse(
        'A page of files.',
        objectSchema({ data: arrayOf(schemaRef('Media')), meta: schemaRef('MediaPage') }),
      ),
      example: {
        data: [EXAMPLE_MEDIA],
        meta: {
          limit: 25,
          has_more: false,
          next_cursor: null,
          files: 1,
          bytes: 482_113,
          file_quota: 5_000,
          byte_quota: 10_000_000_000,
        },
      },
      isIllustration: true,
    },
  },
  async handle(call) {
    const { kind, unused, limit, cursor } = call.query
    // One more than the limit, to see whether there is a next page.
    const found = await listMedia(call.account, {
      kind,
      unused: unused === 'true',
      limit: limit + 1,
      after: cursor,
    })
    const last = found.length > limit ? found[limit - 1] : undefined
    const [used, quota] = await Promise.all([getMediaUsage(call.account), getMediaQuota(call.account)])
    const meta = {
      limit,
      has_more: last !== undefined,
      next_cursor: last === undefined ? null : `${last.createdAt.getTime()}-${last.id}`,
      ...used,
      file_quota: quota.files,
      byte_quota: quota.bytes,
    }
    const rows = found.slice(0, limit).map(file => toJson(call, file))
    return { body: successJson(JSON.stringify(rows), { meta }) }
  },
})

export const readMedia = defineEndpoint({
  method: 'GET',
  path: '/media/:media',
  id: 'getMedia',
  tag: 'media',
  summary: 'Read about a picture or document',
  description:
    'What is known about the file. Its bytes are at `url`. With the temporary id of a file that is fetched from an address: `fetching`, then the file with its own id, or `refused` with the reason. The temporary id answers for 30 days.',
  responses: { 200: FILE_RESPONSE },
  errors: ['gone'],
  handle: async call => ({
    body: successJson(JSON.stringify(toAnyJson(call, await getMediaOrFetch(call.account, call.path.media)))),
  }),
})

export const deleteMediaEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/media/:media',
  id: 'deleteMedia',
  tag: 'media',
  summary: 'Delete a picture or document',
  description:
    'A file that is still fetched is fetched no more. A file to which any version of a passport refers stays: passports can be read as of every date. So does a file that a draft names, or that the block *From the brand* shows.',
  responses: { 204: { description: 'The file is deleted.' } },
  errors: ['gone', 'in_use'],
  async handle(call) {
    const ctx = { ...call.account, ...call.setup.media, isNamedInDraft }
    await deleteMediaOrFetch(ctx, call.path.media)
    return { status: 204, body: '' }
  },
})

export const MEDIA_SCHEMAS = {
  Media: objectSchema({
    id: {
      ...TEXT,
      pattern: '^([0-9a-f]{64}|[0-9a-z]{26})$',
      description:
        'SHA-256 of the bytes as they were sent; a temporary id of 26 characters while they are fetched. Null in the other fields: not known yet.',
    },
    kind: { enum: [...MEDIA_KINDS, null] },
    type: { ...NULLABLE_TEXT, description: 'Media type, decided by the bytes.' },
    bytes: { type: ['integer', 'null'], description: 'As they were sent.' },
    width: { type: ['integer', 'null'], description: 'Pixels of the upright picture; null for a document.' },
    height: { type: ['integer', 'null'] },
    color: {
      ...NULLABLE_TEXT,
      description: 'Mean colour of a picture, `#rrggbb`; white if parts of it are transparent.',
    },
    status: { enum: ['ready', 'processing', 'fetching', 'refused'] },
    reason: { ...NULLABLE_TEXT, description: 'Why the file was refused.' },
    created_at: {
      ...DATE_TIME,
      description: 'When it was stored; of a file that no passport uses, when it was last sent.',
    },
    url: { ...NULLABLE_TEXT, format: 'uri' },
  }),
  MediaPage: objectSchema({
    limit: INTEGER,
    has_more: { type: 'boolean' },
    next_cursor: NULLABLE_TEXT,
    files: { ...INTEGER, description: 'How many the account has stored.' },
    bytes: { ...INTEGER, description: 'Of all of them, as they were sent.' },
    file_quota: { type: ['integer', 'null'], description: 'Null: unlimited.' },
    byte_quota: { type: ['integer', 'null'] },
  }),
}
