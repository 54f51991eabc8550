/** Finds the passport that an identifier of EN 18222 names. */
import { type DigitalLink, type DigitalLinkError, parseDigitalLink } from '../../gs1/digital-link.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { normalizeDppId } from '../../passports/core/dpp-id.ts'
import { findPublicPassport, findWholePassport, type PublicPassportRow } from '../../passports/read/find.ts'
import { findByAlias } from '../../passports/read/find-alias.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { findExactPassport } from '../../passports/read/resolve-exact.ts'
import type { ApiSetup } from '../endpoint/endpoint.ts'

type FindSetup = Pick<ApiSetup, 'sql' | 'clock' | 'addresses'>

/** The addresses with which identifiers of this server begin or began. */
export const listBases = ({ publicUrl, dppIdBases = [] }: FindSetup['addresses']): readonly string[] => [
  publicUrl,
  ...dppIdBases,
]

/** The public id of the address of a passport, or of the id itself; undefined for anything else. */
export function findPublicId(setup: Pick<FindSetup, 'addresses'>, text: string): string | undefined {
  const id = cutId(setup, text)
  return parseId(id) === undefined ? undefined : id
}

function cutId({ addresses }: Pick<FindSetup, 'addresses'>, text: string): string {
  const base = listBases(addresses).find(one => text.startsWith(`${one}/p/`))
  return base === undefined ? text : text.slice(`${base}/p/`.length)
}

/**
 * The UUID that a `digitalProductPassportId`, or a bare id, names. Only identifiers of other systems are
 * looked up. Throws `not_found`.
 */
export async function requireDppUuid(
  setup: Pick<FindSetup, 'sql' | 'addresses'>,
  dppId: string,
): Promise<string> {
  const own = parseId(cutId(setup, dppId))
  const key = own === undefined ? normalizeDppId(dppId) : undefined
  const uuid = own ?? (key && (await findByAlias(setup.sql, key)))
  if (uuid === undefined) throw unknownPassport()
  return uuid
}

/**
 * A passport by its `digitalProductPassportId` or its bare id. `withAllData`: also large free-form keys.
 * Throws `not_found`.
 */
export async function findByDppId(
  setup: FindSetup,
  dppId: string,
  { withAllData = false } = {},
): Promise<PublicPassportRow> {
  const uuid = await requireDppUuid(setup, dppId)
  const row = await (withAllData ? findWholePassport : findPublicPassport)(setup.sql, uuid)
  if (row === undefined) throw unknownPassport()
  return row
}

export const unknownPassport = () =>
  new AppError('not_found', 'There is no passport with this identifier here.')

/** Finds the passport of a product identifier: a GS1 address of any host, or the address of a page. */
export type ProductId = { link: DigitalLink } | { id: string }

const LINK_ERRORS: Record<DigitalLinkError, string> = {
  no_key: 'it has no GTIN (01)',
  bad_escape: 'its percent-encoding is broken',
  bad_gtin: 'its GTIN must have 14 digits and the right check digit',
  unknown_qualifier: 'after the GTIN only 22, 10 and 21 may follow',
  wrong_order: 'the order is 01, 22, 10, 21',
  bad_cpv: 'its product variant (22) is not valid',
  bad_lot: 'its lot (10) is not valid',
  bad_serial: 'its serial (21) is not valid',
}

/** Throws `bad_request` for a text that is no such address. */
export function parseProductId(setup: FindSetup, text: string): ProductId {
  const id = findIdOfAddress(setup, text)
  return id === undefined ? { link: parseProductLink(text) } : { id }
}

/** The public id in the address of a page; undefined for any other text. */
function findIdOfAddress(setup: FindSetup, text: string): string | undefined {
  const isAddress = listBases(setup.addresses).some(base => text.startsWith(`${base}/p/`))
  return isAddress ? findPublicId(setup, text) : undefined
}

/** Throws `bad_request` for a text that is no GS1 Digital Link of any host. */
export function parseProductLink(text: string): DigitalLink {
  const link = tryParseProductLink(text)
  if ('problem' in link) throw new AppError('bad_request', link.problem)
  return link
}

function tryParseProductLink(text: string): DigitalLink | { problem: string } {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const problem =
      'A product identifier is a GS1 Digital Link such as https://example.com/01/09506000134352, or the address of a passport.'
    return { problem }
  }
  const link = parseDigitalLink(url.pathname)
  if (!('error' in link)) return link
  return { problem: `The product identifier is no GS1 Digital Link: ${LINK_ERRORS[link.error]}.` }
}

/** For one identifier of a list: of any other scheme, such as a URN, it is unknown and no error. */
export async function findListedProduct(
  setup: FindSetup,
  text: string,
): Promise<PublicPassportRow | undefined> {
  const id = findIdOfAddress(setup, text)
  if (id !== undefined) return findByProductId(setup, { id })
  const link = tryParseProductLink(text)
  return 'problem' in link ? undefined : findByProductId(setup, { link })
}

/** Undefined if there is no passport of exactly this level. */
export const findByProductId = (
  { sql, clock }: FindSetup,
  productId: ProductId,
): Promise<PublicPassportRow | undefined> =>
  'id' in productId
    ? readPublicPassport(sql, productId.id, clock.now())
    : findExactPassport(sql, productId.link, clock.now())
