/** Builds the reading of a passport, of which the documents of standards are made. */
import { disclose, discloseAll } from '../../categories/disclose.ts'
import { addDocumentUrls } from '../../categories/document-addresses.ts'
import { addPictureAddresses } from '../../categories/picture-addresses.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import type { ParentAddresses, Reading, RecallInReading } from '../../standards/reading.ts'
import { parseRecalls } from '../core/recalls.ts'
import {
  type Addresses,
  getDocumentId,
  gs1Url,
  LEVEL_NAME,
  type PassportRow,
  passportUrl,
  STATUS_NAME,
} from '../core/record.ts'
import { getDisclosedCategory } from './disclosed-category.ts'
import type { PublicPassportRow } from './find.ts'
import { type DocumentFiles, listPictureAddresses, NO_FILES } from './picture-files.ts'

/** A row of one version. `updated_at`: the later of its time and the last archiving or restoring. */
export type ReadableRow = PassportRow &
  Pick<
    PublicPassportRow,
    | 'audience_profile'
    | 'withdrawn_files'
    | 'model_gtin'
    | 'batch_gtin'
    | 'dpp_id'
    | 'model_dpp_id'
    | 'batch_dpp_id'
    | 'recalls'
  > & {
    /** The number of the current version; undefined: it is this one. */
    newest_version_no?: number
  }

/** The facts of a passport besides its data, for documents and pages. */
export function describePassport(
  addresses: Addresses,
  row: Omit<ReadableRow, 'data' | 'audience_profile' | 'withdrawn_files' | 'recalls'>,
) {
  const id = idFromUuid(row.id)
  return {
    id,
    url: passportUrl(addresses, id),
    dppId: getDocumentId(addresses, row),
    gs1Url: gs1Url(addresses, row),
    level: LEVEL_NAME[row.level],
    status: STATUS_NAME[row.status],
    outdated: row.outdated,
    gtin: row.gtin,
    lot: row.lot,
    serial: row.serial,
    versionNo: row.version_no,
    model:
      row.level === 'm'
        ? null
        : buildParent(addresses, row.model_id, {
            dpp_id: row.model_dpp_id,
            gtin: row.model_gtin,
            lot: null,
            serial: null,
          }),
    batch:
      row.parent_id === null || row.parent_id === row.model_id
        ? null
        : buildParent(addresses, row.parent_id, {
            dpp_id: row.batch_dpp_id,
            gtin: row.batch_gtin,
            lot: row.lot,
            serial: null,
          }),
  }
}

export function buildReading(
  addresses: Addresses,
  row: ReadableRow,
  audience: Reading['audience'],
  { pictures, withdrawn }: DocumentFiles = NO_FILES,
): Omit<Reading, 'changedAt' | 'versionCommitment'> {
  const category = getDisclosedCategory(row)
  const all: DataObject = JSON.parse(row.data)
  const described = describePassport(addresses, row)
  const newest = row.newest_version_no ?? row.version_no
  const seen = audience === 'owner' ? discloseAll(category, all) : disclose(category, all, audience).data
  return {
    ...described,
    category,
    schemaVersion: row.schema_version,
    lastUpdated: row.updated_at,
    primaryLanguage: getPrimaryLanguage(all),
    audience,
    recalls: listRecalls(row, described),
    supersededByVersion: newest > row.version_no ? newest : null,
    data: addPictureAddresses(
      category,
      addDocumentUrls(addresses.publicUrl, category, seen, withdrawn),
      listPictureAddresses(pictures),
    ),
  }
}

/** Everybody sees the notices, whatever the audience. */
function listRecalls(
  row: ReadableRow,
  { dppId, level, model, batch }: ReturnType<typeof describePassport>,
): readonly RecallInReading[] {
  if (row.recalls === null) return NO_RECALLS
  return parseRecalls(row).map(({ id, notice: { from, hazard, action, url, contact } }) => {
    const isOwn = id === row.id
    const isOfBatch = !isOwn && id === row.parent_id && batch !== null
    const parent = isOfBatch ? batch : model
    return {
      passportId: isOwn ? dppId : (parent?.dppId ?? dppId),
      level: isOwn ? level : isOfBatch ? 'batch' : 'model',
      from,
      hazard,
      action,
      url,
      contact,
    }
  })
}

const NO_RECALLS: readonly RecallInReading[] = []

/** The first of the passport's languages, a BCP-47 tag. */
export function getPrimaryLanguage({ languages }: DataObject): string {
  const first = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' ? first : 'en'
}

/** `row` has the GTIN that the model or batch shows on its own page. */
function buildParent(
  addresses: Addresses,
  uuid: string,
  row: Pick<ReadableRow, 'dpp_id' | 'gtin' | 'lot' | 'serial'>,
): ParentAddresses {
  const id = idFromUuid(uuid)
  return {
    id,
    url: passportUrl(addresses, id),
    gs1Url: gs1Url(addresses, row),
    dppId: getDocumentId(addresses, { id: uuid, dpp_id: row.dpp_id }),
  }
}
