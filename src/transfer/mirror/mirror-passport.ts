/** Writes what the public may see of one passport: pages, documents of every version, GS1 addresses. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, assert } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { DOCUMENT_FORMATS, type DocumentFormat } from '../../passports/documents/formats.ts'
import type { DocumentSetup, PlacedRow } from '../../passports/documents/setup.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import { findPassportVersion } from '../../passports/read/public-passport-at.ts'
import {
  buildRedirects,
  getDocumentFile,
  getStaticPage,
  type StaticFile,
  type StaticPages,
  writePassportPages,
} from '../static/passport-pages.ts'
import type { MirroredFiles } from './mirror-files.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import type { MirrorGroup } from './mirror-group.ts'
import { keepProofs } from './mirror-proofs.ts'

export type MirrorSetup = StaticPages & { documents: DocumentSetup }

export type MirroredRow = Pick<PassportSummary, 'id' | 'level' | 'model_id' | 'lot' | 'serial'>

/** `isFull`: every passport of the account is written. */
type PassportInput = { row: MirroredRow; gtins: readonly string[]; isFull: boolean; files: MirroredFiles }

/**
 * `left_out`: how many GS1 addresses cannot be files. `hasNewGtin`: it was here before, without one of its
 * GTINs.
 */
export async function mirrorPassport(
  setup: MirrorSetup,
  mirror: MirrorFolder,
  shared: MirrorGroup,
  { row, gtins, isFull, files }: PassportInput,
): Promise<{ left_out: number; hasNewGtin: boolean }> {
  const id = idFromUuid(row.id)
  const passport = await setup.openPassport(id)
  const group = await mirror.openGroup(id, { keeps: false, reads: isFull })
  const isShared = ({ path }: Pick<StaticFile, 'path'>) => path.startsWith('brand/')
  await writePassportPages(
    setup,
    {
      has: path => (isShared({ path }) ? shared.has(path) : files.has(path) || group.has(path)),
      async put(...some) {
        await shared.put(...some.filter(isShared))
        await files.put(...some.filter(files.isOwn))
        await group.put(...some.filter(file => !isShared(file) && !files.isOwn(file)))
      },
    },
    id,
    passport,
  )
  const current = passport.row
  await writeDocuments(setup, group, shared, { row: current, dir: `p/${id}` })
  // They name the newest version, and the recalls that hold now.
  for (let version = current.version_no - 1; version > 0; version--) {
    const dir = `p/${id}/v/${version}`
    const past = await findPassportVersion(setup.documents.sql, row.id, version, { withAllData: false })
    assert(past !== undefined, 'an earlier version exists')
    await writeDocuments(setup, group, shared, { row: { ...past, shard: current.shard }, dir })
  }
  keepProofs(group, id, current.version_no)
  const redirects = buildRedirects({ uuid: row.id, lot: row.lot, serial: row.serial }, gtins)
  const isNew = !group.wasKnown(`p/${id}/index.html`)
  const hasNewGtin = !isFull && !isNew && (redirects ?? []).some(({ path }) => !group.wasKnown(path))
  if (redirects !== undefined) await group.put(...redirects)
  await group.close()
  return { left_out: redirects === undefined ? gtins.length : 0, hasNewGtin }
}

type Version = { row: PlacedRow; dir: string }

async function writeDocuments(
  setup: MirrorSetup,
  group: MirrorGroup,
  shared: MirrorGroup,
  { row, dir }: Version,
): Promise<void> {
  for (const format of DOCUMENT_FORMATS) {
    const body = await buildIfOffered(setup, format, row)
    if (body === undefined) continue
    await group.put({ path: `${dir}/${getDocumentFile(format.id)}`, body })
    if (format.id === 'en') await writeSchemas(setup, shared, JSON.parse(String(body)))
  }
}

/** Undefined for a format that this passport does not have: its account does not sign, or data is missing. */
async function buildIfOffered(
  { documents }: MirrorSetup,
  format: DocumentFormat,
  row: PlacedRow,
): Promise<string | Buffer | undefined> {
  try {
    return await format.build(documents, row, 'public')
  } catch (error) {
    if (error instanceof AppError && ['not_acceptable', 'not_found'].includes(error.code)) return undefined
    throw error
  }
}

/**
 * Lists the addresses in a document that this server has: contexts, schemas, and the type metadata of its
 * SD-JWT.
 */
async function writeSchemas(setup: MirrorSetup, shared: MirrorGroup, document: DataObject): Promise<void> {
  const { addresses, nsUrl } = setup.documents
  const start = `${addresses.publicUrl}/`
  const specifications = [document.contentSpecificationIds].flat()
  const types = specifications.map(one => String(one).replace(nsUrl, `${nsUrl}/types`))
  const named = [document['@context'], specifications, types].flat()
  for (const url of named) {
    if (typeof url !== 'string' || !url.startsWith(start)) continue
    const path = url.slice(start.length)
    if (!shared.has(path)) await shared.put({ path, body: await getStaticPage(setup, `/${path}`, '*/*') })
  }
}
