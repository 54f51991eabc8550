/** The view of a passport: what one audience may see of it. Renderers get only this. */
import { isDeepStrictEqual } from 'node:util'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { disclose } from '../../categories/disclose.ts'
import { addDocumentUrls } from '../../categories/document-addresses.ts'
import type { Audience, Field } from '../../categories/field.ts'
import { listTranslationLanguages, type TranslationLanguages } from '../../categories/pick-text.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { parseRecalls, type RecallNotice } from '../../passports/core/recalls.ts'
import { type Addresses, LEVEL_NAME } from '../../passports/core/record.ts'
import { EVENT_TEXTS } from '../../passports/life/check-event.ts'
import type { ReaderEvent } from '../../passports/life/reader-events.ts'
import type { Offer } from '../../passports/offers/offer.ts'
import { describePassport, getPrimaryLanguage } from '../../passports/read/build-reading.ts'
import { getDisclosedCategory } from '../../passports/read/disclosed-category.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { NO_FILES, type PassportFiles } from '../../passports/read/picture-files.ts'
import type { PublicHistory } from '../../passports/read/public-version.ts'
import { RECALL_FIELDS } from '../../passports/recalls/check-notice.ts'
import type { PendingCorrection } from '../../passports/units/pending-correction.ts'
import { getFieldOrigins, type Origins } from './origin.ts'

export type PassportView = {
  id: string
  url: string
  gs1Url: string | null
  category: CompleteCategory
  level: 'model' | 'batch' | 'item'
  status: 'active' | 'archived'
  outdated: boolean
  /** The corrections that an outdated unit lacks, if this audience may see them; else null. */
  correction: UnitCorrection | null
  gtin: string | null
  lot: string | null
  serial: string | null
  versionNo: number
  /** True if the account lets search engines list its models. */
  isIndexingAllowed: boolean
  /** When this version was created. Archiving does not change it. */
  changedAt: Date
  isNewestVersion: boolean
  newestVersionNo: number
  history: PublicHistory
  /** Null on a model. */
  model: Parent | null
  /** Null unless the passport was issued under a batch. */
  batch: Parent | null
  /** The first of the passport's languages, a BCP-47 tag. */
  primaryLanguage: string
  /**
   * The languages of its texts; null if pages exist in all of them: then the language of the page selects
   * texts.
   */
  textLanguages: TranslationLanguages | null
  audience: Audience
  withheld: boolean
  /** Only the fields that the audience may see. */
  data: DataObject
  /** The origin of each field; null on a model. */
  origins: Origins | null
  /** The recall notices that hold for it, the nearest first. Everybody sees them. */
  recalls: readonly { level: PassportView['level']; notice: RecallNotice }[]
  /** The offers for readers, in the order of the account. */
  offers: readonly Offer[]
  /** The newest events that the audience may see; null for none, and on the page of an earlier version. */
  life: PageLife | null
} & PassportFiles

/** `state`: of the unit as the audience sees it, `new` for none. */
export type PageLife = { state: string; events: readonly ReaderEvent[]; hasMore: boolean }

type Parent = Pick<PassportView, 'id' | 'url' | 'gs1Url'>

/** The corrected fields. `before` or `after` is undefined if the field has no value there. */
export type UnitCorrection = {
  changes: readonly { field: Field; before: unknown; after: unknown }[]
  correctedBy: 'model' | 'batch'
}

export function buildPassportView(
  addresses: Addresses,
  row: PublicPassportRow,
  history: PublicHistory,
  audience: Audience,
  newestVersionNo: number = row.version_no,
  pending?: PendingCorrection,
  offers: readonly Offer[] = [],
  files: PassportFiles = NO_FILES,
  life: PageLife | null = null,
): PassportView {
  const category = getDisclosedCategory(row)
  const all: DataObject = JSON.parse(row.data)
  const { data: seen, withheld } = disclose(category, all, audience)
  const data = addDocumentUrls(addresses.publicUrl, category, seen, files.withdrawn)
  const primaryLanguage = getPrimaryLanguage(all)
  const recalls = listRecalls(row)
  return {
    ...describePassport(addresses, row),
    category,
    correction: pending === undefined ? null : discloseCorrection(row, pending, audience),
    isIndexingAllowed: row.indexable,
    changedAt: history.versions[0]?.at ?? row.updated_at,
    isNewestVersion: row.version_no === newestVersionNo,
    newestVersionNo,
    history,
    primaryLanguage,
    textLanguages: findTextLanguages(category, data, { recalls, offers, life }),
    audience,
    withheld,
    data,
    origins: row.level === 'm' ? null : getFieldOrigins(row, Object.keys(data)),
    recalls,
    offers,
    life,
    ...files,
  }
}

const listRecalls = (row: PublicPassportRow): PassportView['recalls'] =>
  parseRecalls(row).map(({ id, notice }) => ({
    level: id === row.id ? LEVEL_NAME[row.level] : id === row.model_id ? 'model' : 'batch',
    notice,
  }))

/**
 * Compares what the audience may see, so a correction of a withheld value does not count. The values were
 * stored under the schema version of the unit or of its model, so the earlier one decides.
 */
function discloseCorrection(
  row: PublicPassportRow,
  { before, after, correctedBy, schemaVersion }: PendingCorrection,
  audience: Audience,
): UnitCorrection | null {
  const schema_version = Math.min(row.schema_version, schemaVersion)
  const category = getDisclosedCategory({ ...row, schema_version })
  const [seenBefore, seenAfter] = [before, after].map(data => disclose(category, data, audience).data)
  const changes = category.fields
    .map(field => ({ field, before: seenBefore?.[field.name], after: seenAfter?.[field.name] }))
    .filter(change => !isDeepStrictEqual(change.before, change.after))
  return changes.length === 0 ? null : { changes, correctedBy }
}

/** Texts of the account outside the data. No field of a category has these names. */
const OTHER_TEXTS: readonly Field[] = [
  { name: '@recalls', type: 'list', description: '', of: RECALL_FIELDS },
  {
    name: '@offers',
    type: 'list',
    description: '',
    of: [
      { name: 'title', type: 'text', description: '', localized: true },
      { name: 'text', type: 'text', description: '', localized: true },
    ],
  },
  {
    name: '@events',
    type: 'list',
    description: '',
    of: [...EVENT_TEXTS, { name: 'corrected', type: 'object', description: '', fields: EVENT_TEXTS }],
  },
]

/** Null if no text has a choice of languages. */
function findTextLanguages(
  { fields }: CompleteCategory,
  data: DataObject,
  { recalls, offers, life }: Pick<PassportView, 'recalls' | 'offers' | 'life'>,
): TranslationLanguages | null {
  const textLanguages =
    recalls.length + offers.length === 0 && life === null
      ? listTranslationLanguages(fields, data)
      : listTranslationLanguages([...OTHER_TEXTS, ...fields], {
          ...data,
          '@recalls': recalls.map(({ notice }) => notice),
          '@offers': offers,
          '@events': life?.events ?? [],
        })
  return textLanguages.ofTexts.every(({ size }) => size < 2) ? null : textLanguages
}
