/** Types of the packages of Digital Bazaar that have none: only what the tests use. */
declare module '@digitalbazaar/ecdsa-jcs-2019-cryptosuite' {
  type Cryptosuite = { name: string; canonize: (value: unknown) => Promise<string> }
  export function createSignCryptosuite(): Cryptosuite
  export function createVerifyCryptosuite(): Cryptosuite
}

declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: unknown; signer?: unknown; date?: Date })
  }
}

declare module '@digitalbazaar/ecdsa-multikey' {
  export function fromJwk(options: { jwk: unknown; secretKey: boolean }): Promise<{ signer: () => object }>
}

declare module 'jsonld-signatures' {
  type Options = { suite: unknown; purpose: unknown; documentLoader: (url: string) => Promise<unknown> }
  type Document = Record<string, unknown>
  const signatures: {
    purposes: { AssertionProofPurpose: new () => object }
    sign: (document: Document, options: Options) => Promise<Document>
    verify: (document: Document, options: Options) => Promise<{ verified: boolean }>
  }
  export = signatures
}
