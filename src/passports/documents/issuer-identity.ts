/** Who signs for an account, as documents and pages name it: what was verified, or the service. */
import type { Issuer } from '../../accounts/issuer/issuer.ts'
import { getIdentifierUri } from '../../standards/company-identifiers.ts'
import type { IssuerIdentity, PartyIdentifier } from '../../standards/reading.ts'
import { type Addresses, getServiceName } from '../core/record.ts'

export function getIssuerIdentity(
  addresses: Addresses,
  { identity }: Pick<Issuer, 'identity'>,
): IssuerIdentity {
  if (identity !== null)
    return { name: identity.legalName, isVerified: true, identifiers: identity.identifiers }
  return { name: nameUnverified(addresses), isVerified: false, identifiers: [] }
}

/** For machines and their users, so in one language. Pages say it in theirs. */
const nameUnverified = (addresses: Addresses): string =>
  `Signed by the service ${getServiceName(addresses)} for an account that it has not verified`

const URI_PREFIXES: Readonly<Record<string, string>> = { 'host:': 'https://' }

/** The URIs of a verified account: identifiers, hosts and DIDs. A GS1 company prefix has no URI. */
export function listKnownUris({ identity }: Pick<Issuer, 'identity'>): string[] {
  if (identity === null) return []
  const identifiers: readonly PartyIdentifier[] = identity.identifiers
  const names = identity.names.flatMap(name => {
    if (name.startsWith('did:')) return name
    const prefix = Object.keys(URI_PREFIXES).find(one => name.startsWith(one))
    return prefix === undefined ? [] : `${URI_PREFIXES[prefix]}${name.slice(prefix.length)}`
  })
  return [...identifiers.map(getIdentifierUri), ...names]
}
