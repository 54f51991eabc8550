/** Builds the API's product record from a row. `data` stays JSON text, which a read does not parse. */
import { buildGs1Path } from '../../gs1/digital-link.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'

/** a: active, x: archived. */
export type StatusLetter = 'a' | 'x'

export type PassportRow = {
  id: string
  account_id: number
  version_no: number
  created_by: number
  parent_id: string | null
  model_id: string
  schema_version: number
  /** m: model, b: batch, i: item. */
  level: 'm' | 'b' | 'i'
  status: StatusLetter
  category: string
  lot: string | null
  serial: string | null
  updated_at: Date
  /** True if a unit lacks a correction of its model or batch; false on a model. */
  outdated: boolean
  gtin: string | null
  /** JSON text. */
  data: string
  /** The `UnitLife` of a unit with events, as JSON text. Not read everywhere. */
  life?: string | null
}

/** Addresses without a trailing slash. */
export type Addresses = {
  publicUrl: string
  apiUrl: string
  /** With which identifiers of documents begin or began, the current one first; default: `publicUrl`. */
  dppIdBases?: readonly string[]
  /** The operator's name of the service; default: Carnet. */
  serviceName?: string
}

/** The name of the service with its host, such as `Carnet (passports.example.org)`. */
export const getServiceName = ({ publicUrl, serviceName = 'Carnet' }: Addresses): string =>
  `${serviceName} (${new URL(publicUrl).host})`

export const LEVEL_NAME = { m: 'model', b: 'batch', i: 'item' } as const
export const STATUS_NAME = { a: 'active', x: 'archived' } as const

/** The creation time of a passport: the milliseconds with which its UUIDv7 begins. */
const creationMs = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
export const creationTime = (uuid: string) => new Date(creationMs(uuid))

export const passportUrl = (addresses: Addresses, id: string) => `${addresses.publicUrl}/p/${id}`

/** The identifier of its documents: kept from another system, or under the pinned address. */
export const getDocumentId = (
  { publicUrl, dppIdBases: [base = publicUrl] = [] }: Addresses,
  { id, dpp_id }: { id: string; dpp_id: string | null },
): string => dpp_id ?? `${base}/p/${idFromUuid(id)}`

/** A number for use inside a shop or company has no address, because others use it, too. */
export const hasGs1Address = ({ gtin }: Pick<PassportRow, 'gtin'>): boolean =>
  gtin !== null && isWorldwideGtin(gtin)

/** The GS1 Digital Link; null without a GTIN of the whole world. Source: GS1 Digital Link URI syntax. */
export function gs1Url(
  addresses: Addresses,
  row: Pick<PassportRow, 'gtin' | 'lot' | 'serial'>,
): string | null {
  if (row.gtin === null || !isWorldwideGtin(row.gtin)) return null
  const qualifiers = {
    ...(row.lot === null ? {} : { lot: row.lot }),
    ...(row.serial === null ? {} : { serial: row.serial }),
  }
  return addresses.publicUrl + buildGs1Path(toGtin14(row.gtin), qualifiers)
}

const toJson = (text: string | null) => (text === null ? 'null' : JSON.stringify(text))

/** Memoizes the last value: consecutive rows mostly share it, and computing it is half the cost of a row. */
function memoizeLast<K, V>(make: (key: K) => V): (key: K) => V {
  let last: { key: K; value: V } | undefined
  return key => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) }
    return last.value
  }
}

const MINUTE_MS = 60_000

/** ISO 8601 of a time in milliseconds. Rows of a list are often of one minute, so its text is memoized. */
function createTimeFormatter(): (ms: number) => string {
  const formatMinute = memoizeLast((minute: number) =>
    new Date(minute * MINUTE_MS).toISOString().slice(0, 17),
  )
  return ms => {
    const minute = Math.floor(ms / MINUTE_MS)
    // 100,000 puts zeros before the milliseconds of the minute.
    const rest = String(100_000 + ms - minute * MINUTE_MS)
    return `${formatMinute(minute)}${rest.slice(1, 3)}.${rest.slice(3)}Z`
  }
}

const formatUpdateTime = createTimeFormatter()
const formatCreationTime = createTimeFormatter()
const parentId = memoizeLast(idFromUuid)

/** The members of a record before `data`, as JSON without braces; summaries in lists have them, too. */
export function formatMetadataMembers(addresses: Addresses, row: Omit<PassportRow, 'data'>): string {
  const id = idFromUuid(row.id)
  const parent = row.parent_id === null ? 'null' : `"${parentId(row.parent_id)}"`
  return (
    `"id":"${id}","category":"${row.category}","level":"${LEVEL_NAME[row.level]}","status":"${STATUS_NAME[row.status]}",` +
    `"gtin":${toJson(row.gtin)},"lot":${toJson(row.lot)},"serial":${toJson(row.serial)},"version_no":${row.version_no},` +
    `"updated_at":"${formatUpdateTime(row.updated_at.getTime())}","created_at":"${formatCreationTime(creationMs(row.id))}",` +
    `"passport_url":"${passportUrl(addresses, id)}","gs1_url":${toJson(gs1Url(addresses, row))},` +
    `"qr_url":"${addresses.apiUrl}/products/${id}/qr","parent_id":${parent},"outdated":${row.outdated}`
  )
}

/** `inUse`: JSON of what a read adds for a unit with events. */
export const recordJson = (addresses: Addresses, row: PassportRow, inUse?: string) =>
  `{${formatMetadataMembers(addresses, row)},${inUse === undefined ? '' : `"in_use":${inUse},`}"data":${row.data}}`

/** A strong validator: it changes with the version, the status, and when a unit becomes outdated. */
export const recordEtag = (row: Pick<PassportRow, 'version_no' | 'status' | 'outdated'>) =>
  `"v${row.version_no}${row.status === 'a' ? '' : '.archived'}${row.outdated ? '.outdated' : ''}"`

/** The address in a QR code: the page, or the GS1 address for tills. Throws `not_found` without a GTIN. */
export function getQrAddress(
  addresses: Addresses,
  row: Pick<PassportRow, 'id' | 'gtin' | 'lot' | 'serial'>,
  content: 'passport' | 'gs1',
): string {
  const address = content === 'gs1' ? gs1Url(addresses, row) : passportUrl(addresses, idFromUuid(row.id))
  if (address !== null) return address
  const why =
    row.gtin === null
      ? 'This product has no GTIN, so it has no GS1 address.'
      : `The GTIN ${row.gtin} of this product is not unique, so it has no GS1 address.`
  throw new AppError('not_found', `${why} Leave out content=gs1.`)
}

/**
 * Keeps only the data of a summary: all data of hundreds of passports may not fit into memory. `data`: the
 * passport's, if it has been parsed.
 */
export const withSummaryData = (
  passport: PassportRow,
  data: Readonly<Record<string, unknown>> = JSON.parse(passport.data),
): PassportRow => ({ ...passport, data: JSON.stringify(summaryData(data)) })

export const summaryData = ({ productName, sku, brandName }: Readonly<Record<string, unknown>>) => ({
  productName,
  sku,
  brandName,
})
