/** The view of a passport: what one audience may see of it. Renderers get nothing else. */
import { isDeepStrictEqual } from 'node:util'
import { type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { disclose } from '../../categories/disclose.ts'
import type { Audience, Field } from '../../categories/field.ts'
import { listTranslationLanguages, type TranslationLanguages } from '../../categories/pick-text.ts'
import { isLanguage } from '../../i18n/catalogue.ts'
import { assert } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import {
  type Addresses,
  gs1Url,
  LEVEL_NAME,
  type PassportRow,
  passportUrl,
  STATUS_NAME,
} from '../../passports/core/record.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import type { PublicHistory } from '../../passports/read/public-version.ts'
import type { PendingCorrection } from '../../passports/units/pending-correction.ts'
import { getFieldOrigins, type Origins } from './origin.ts'

export type Data = Readonly<Record<string, unknown>>

export type PassportView = {
  id: string
  url: string
  gs1Url: string | null
  category: CompleteCategory
  level: 'model' | 'batch' | 'item'
  status: 'active' | 'archived'
  outdated: boolean
  /** The corrections that an outdated unit lacks, as far as this audience may see them; else null. */
  correction: UnitCorrection | null
  gtin: string | null
  lot: string | null
  serial: string | null
  versionNo: number
  /** Whether the account lets search engines list its models. */
  isListed: boolean
  /** When this version was created. Archiving does not change it. */
  changedAt: Date
  /** The newest version if this one is earlier, else null. */
  replacedBy: number | null
  history: PublicHistory
  /** Null on a model. */
  model: { id: string; url: string; gs1Url: string | null } | null
  /** Null unless the passport was issued under a batch. */
  batch: { id: string; url: string; gs1Url: string | null } | null
  /** The first of the passport's languages, a BCP-47 tag. */
  primaryLanguage: string
  /** The languages of its texts; null if all of them are page languages. */
  textLanguages: TranslationLanguages | null
  audience: Audience
  /** Whether fields are withheld from this audience. */
  withheld: boolean
  /** Only the fields that the audience may see. */
  data: Data
  /** The origin of each field; null on a model. */
  origins: Origins | null
}

/** Each corrected field. `before` or `after` is undefined if the data lacks the field there. */
export type UnitCorrection = {
  changes: readonly { field: Field; before: unknown; after: unknown }[]
  correctedBy: 'model' | 'batch'
}

/** `row` is an earlier version if `newestVersionNo` is a later one. */
export function buildPassportView(
  addresses: Addresses,
  row: PublicPassportRow,
  history: PublicHistory,
  audience: Audience,
  newestVersionNo: number = row.version_no,
  pending?: PendingCorrection,
): PassportView {
  const category = findCategory(row.category)
  assert(category, `the category ${row.category} of a stored passport is known`)
  const all: Data = JSON.parse(row.data)
  const { data, withheld } = disclose(category, all, audience)
  const id = idFromUuid(row.id)
  const primaryLanguage = getPrimaryLanguage(all)
  return {
    id,
    url: passportUrl(addresses, id),
    gs1Url: gs1Url(addresses, row),
    category,
    level: LEVEL_NAME[row.level],
    status: STATUS_NAME[row.status],
    outdated: row.outdated,
    correction: pending === undefined ? null : discloseCorrection(category, pending, audience),
    gtin: row.gtin,
    lot: row.lot,
    serial: row.serial,
    isListed: row.indexable,
    versionNo: row.version_no,
    changedAt: history.versions[0]?.at ?? row.updated_at,
    replacedBy: newestVersionNo === row.version_no ? null : newestVersionNo,
    history,
    model:
      row.level === 'm'
        ? null
        : buildRelative(addresses, row.model_id, { gtin: row.model_gtin, lot: null, serial: null }),
    batch:
      row.parent_id === null || row.parent_id === row.model_id
        ? null
        : buildRelative(addresses, row.parent_id, { gtin: row.batch_gtin, lot: row.lot, serial: null }),
    primaryLanguage,
    textLanguages: findUncommonTexts(category, data, primaryLanguage),
    audience,
    withheld,
    data,
    origins: row.level === 'm' ? null : getFieldOrigins(row, Object.keys(data)),
  }
}

/** Compares what the audience may see: a correction of a withheld value is no change for it. */
function discloseCorrection(
  category: CompleteCategory,
  { before, after, correctedBy }: PendingCorrection,
  audience: Audience,
): UnitCorrection | null {
  const [was, is] = [before, after].map(data => disclose(category, data, audience).data)
  const changes = category.fields
    .map(field => ({ field, before: was?.[field.name], after: is?.[field.name] }))
    .filter(change => !isDeepStrictEqual(change.before, change.after))
  return changes.length === 0 ? null : { changes, correctedBy }
}

/** With its own GTIN, as in the address of its own document. */
function buildRelative(
  addresses: Addresses,
  uuid: string,
  row: Pick<PassportRow, 'gtin' | 'lot' | 'serial'>,
) {
  const id = idFromUuid(uuid)
  return { id, url: passportUrl(addresses, id), gs1Url: gs1Url(addresses, row) }
}

function getPrimaryLanguage(data: Data): string {
  const first = Array.isArray(data.languages) ? data.languages[0] : undefined
  return typeof first === 'string' ? first : 'en'
}

/** If pages exist in all languages of the texts, the page's language decides which text a reader gets. */
function findUncommonTexts(
  { fields }: CompleteCategory,
  data: Data,
  primaryLanguage: string,
): TranslationLanguages | null {
  const textLanguages = listTranslationLanguages(fields, data)
  return isLanguage(primaryLanguage.toLowerCase()) && textLanguages.all.values().every(isLanguage)
    ? null
    : textLanguages
}
