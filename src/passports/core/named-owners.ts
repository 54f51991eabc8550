/**
 * Finds the names of the outside world in an identifier (`digitalProductPassportId`): hosts, DIDs, GS1
 * company prefixes and GTINs. Whoever owns them owns the identifier.
 */
import { listHostNames, listPrefixNames } from '../../accounts/identity/approved-names.ts'
import { isGtin, toGtin14 } from '../../gs1/gtin.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'

/** As `approved-names.ts` writes names. */
export type NamedOwners = {
  /** The host with those above it, the nearest first; or the DID. */
  nearest: readonly string[]
  /** Company prefixes that the GS1 keys may begin with. */
  prefixes: readonly string[]
  /** GTIN-14s. */
  gtins: readonly string[]
}

/**
 * The GS1 keys of digital links that have a company prefix, with the number of digits before it (GS1 General
 * Specifications, 3): an indicator digit, or an extension digit. `gtin` is the old spelling of `01`.
 */
const DIGITS_BEFORE_PREFIX: ReadonlyMap<string, number> = new Map([
  ...['01', 'gtin', '00', '8003', '8006'].map(key => [key, 1] as const),
  ...['253', '255', '401', '402', '414', '417', '8004', '8010', '8013', '8017', '8018'].map(
    key => [key, 0] as const,
  ),
])

/** GS1 EPC Tag Data Standard, 6: the schemes whose first part is a company prefix. */
const EPC_URN =
  /^urn:epc:(?:id|idpat|class):(?:sgtin|sscc|sgln|grai|giai|gsrnp?|gdti|cpi|sgcn|ginc|gsin|itip|upui|pgln|lgtin):([0-9]+)\./i

/** `key`: an identifier in its normal form. */
export function findNamedOwners(key: string): NamedOwners {
  const [, companyPrefix] = EPC_URN.exec(key) ?? []
  if (companyPrefix !== undefined) return { nearest: [], prefixes: listPrefixNames(companyPrefix), gtins: [] }
  const host = findHost(key)
  const did = /^did:[^/?#]+/.exec(key)?.[0]
  if (host === undefined) return { nearest: did === undefined ? [] : [did], prefixes: [], gtins: [] }
  return { nearest: listHostNames(host), ...findGs1Keys(key) }
}

/** The host of an address, and of a DID that is looked up at a host. */
function findHost(key: string): string | undefined {
  if (/^https?:/.test(key)) return URL.parse(key)?.hostname
  const [, encoded] = /^did:(?:web|(?:webvh|tdw):[^:/?#]+):([^:/?#]+)/.exec(key) ?? []
  return encoded === undefined ? undefined : URL.parse(`https://${decodePart(encoded)}`)?.hostname
}

/** Also of paths that are no valid digital link: a resolver may ignore what follows the key. */
function findGs1Keys(key: string): Pick<NamedOwners, 'prefixes' | 'gtins'> {
  const parts = (key.split(/[?#]/, 1)[0] ?? '').split(/[/:]/).map(decodePart)
  const prefixes: string[] = []
  const gtins: string[] = []
  for (const [index, name] of parts.entries()) {
    const before = DIGITS_BEFORE_PREFIX.get(name.toLowerCase())
    const value = parts[index + 1] ?? ''
    if (before === undefined || !/^[0-9]/.test(value)) continue
    const isOfGtin = name === '01' || name.toLowerCase() === 'gtin'
    if (isOfGtin && !(isGtin(value) && isWorldwideGtin(value))) continue
    const full = isOfGtin ? toGtin14(value) : value
    prefixes.push(...listPrefixNames(full.slice(before)))
    if (isOfGtin) gtins.push(full)
  }
  return { prefixes, gtins }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
