/**
 * The formats in which other systems read a passport. Content negotiation, `?format=`, links and the tests of
 * what each audience sees all read this table.
 */
import { createAasDocument, createAasPackage, createSubmodel } from './aas-document.ts'
import { createEnText } from './en-document.ts'
import { createSdJwt } from './sd-jwt-document.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'
import { createVc, createVcJwt } from './untp-credential.ts'

export type DocumentFormat = {
  /** The value of `?format=`. */
  id: string
  name: string
  /** The first is the one it is sent as. */
  mediaTypes: readonly [string, ...string[]]
  /** It always has what the public may see, whoever asks. */
  isAlwaysPublic?: boolean
  /** The link sets and pages of passports name it: always, or only if the account signs. */
  linked?: 'always' | 'if_signing'
  /** Browsers save it as a file that ends with this. */
  fileExtension?: string
  /** Throws `not_acceptable`, with the reason, if this passport does not have the format. */
  build(setup: DocumentSetup, row: PlacedRow, audience: DocumentAudience): Promise<string | Buffer>
}

const EN: DocumentFormat = {
  id: 'en',
  name: 'EN 18223',
  mediaTypes: ['application/json'],
  linked: 'always',
  build: (...input) => createEnText(...input, 'compressed'),
}

const EN_FULL: DocumentFormat = {
  id: 'en-full',
  name: 'EN 18223, full form',
  mediaTypes: ['application/json'],
  build: (...input) => createEnText(...input, 'full'),
}

const AAS: DocumentFormat = {
  id: 'aas',
  name: 'Asset Administration Shell',
  mediaTypes: ['application/aas+json'],
  build: createAasDocument,
}

const AASX: DocumentFormat = {
  id: 'aasx',
  name: 'Asset Administration Shell, package',
  // Registered in 2026 (IDTA-01005); the other two are what older programs ask for.
  mediaTypes: [
    'application/aas+zip',
    'application/asset-administration-shell-package+xml',
    'application/asset-administration-shell-package',
  ],
  fileExtension: 'aasx',
  build: createAasPackage,
}

/** At the address that is the id of the submodel, and nowhere else. */
export const getSubmodelFormat = (idShort: string): DocumentFormat => ({
  id: `aas/${idShort}`,
  name: 'Asset Administration Shell, submodel',
  mediaTypes: ['application/json'],
  build: (...input) => createSubmodel(...input, idShort),
})

const VC: DocumentFormat = {
  id: 'vc',
  name: 'UNTP Digital Product Passport, verifiable credential',
  mediaTypes: ['application/vc'],
  isAlwaysPublic: true,
  build: async (setup, row) => JSON.stringify(await createVc(setup, row)),
}

const VC_JWT: DocumentFormat = {
  id: 'vc-jwt',
  name: 'UNTP Digital Product Passport, vc+jwt',
  mediaTypes: ['application/vc+jwt'],
  isAlwaysPublic: true,
  linked: 'if_signing',
  build: (setup, row) => createVcJwt(setup, row),
}

const SELECTIVE_DISCLOSURE: DocumentFormat = {
  id: 'sd-jwt',
  name: 'SD-JWT VC',
  mediaTypes: ['application/dc+sd-jwt'],
  build: createSdJwt,
}

/** The first is what `application/json` gets. */
export const DOCUMENT_FORMATS: readonly [DocumentFormat, ...DocumentFormat[]] = [
  EN,
  EN_FULL,
  AAS,
  AASX,
  VC,
  VC_JWT,
  SELECTIVE_DISCLOSURE,
]
