/** How documents write the identifiers of a company. */
import type { DataObject } from '../kernel/values/data-object.ts'
import { GLN_ADDRESSES } from './identifiers.ts'
import type { PartyIdentifier } from './reading.ts'

/** URNs of OASIS ebCore Party Id Type: 0199 is the code of the LEI in ISO 6523; the others have no code. */
const PARTY_TYPE = 'urn:oasis:names:tc:ebcore:partyid-type:'
const SCHEMES: Readonly<Record<PartyIdentifier['scheme'], { id: string; prefix: string; name: string }>> = {
  gln: { id: GLN_ADDRESSES.company, prefix: GLN_ADDRESSES.company, name: 'GS1 Global Location Number' },
  lei: {
    id: `${PARTY_TYPE}iso6523:0199`,
    prefix: `${PARTY_TYPE}iso6523:0199:`,
    name: 'Legal Entity Identifier (ISO 17442)',
  },
  vat: {
    id: `${PARTY_TYPE}unregistered:vat`,
    prefix: `${PARTY_TYPE}unregistered:vat:`,
    name: 'VAT identification number',
  },
  eori: {
    id: `${PARTY_TYPE}unregistered:eori`,
    prefix: `${PARTY_TYPE}unregistered:eori:`,
    name: 'EORI number',
  },
}

/** A URI, as `alsoKnownAs` of a DID document wants it. */
export const getIdentifierUri = ({ scheme, value }: PartyIdentifier): string => SCHEMES[scheme].prefix + value

/** As UNTP describes a party by one of its identifiers. */
export function describeParty(identifier: PartyIdentifier, name: string): DataObject {
  const { id, name: schemeName } = SCHEMES[identifier.scheme]
  return {
    id: getIdentifierUri(identifier),
    name,
    registeredId: identifier.value,
    idScheme: { id, name: schemeName },
  }
}
