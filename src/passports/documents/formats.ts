/**
 * The formats in which other systems read a passport. Content negotiation, `?format=`, links and the tests of
 * what each audience sees all read this table.
 */
import { createEnDocument } from './en-document.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'

export type DocumentFormat = {
  /** The value of `?format=`. */
  id: string
  name: string
  /** The first is the one it is sent as. */
  mediaTypes: readonly [string, ...string[]]
  build(setup: DocumentSetup, row: PlacedRow, audience: DocumentAudience): Promise<string | Buffer>
}

const EN: DocumentFormat = {
  id: 'en',
  name: 'EN 18223',
  mediaTypes: ['application/json'],
  build: async (...input) => JSON.stringify(await createEnDocument(...input, 'compressed')),
}

const EN_FULL: DocumentFormat = {
  id: 'en-full',
  name: 'EN 18223, full form',
  mediaTypes: ['application/json'],
  build: async (...input) => JSON.stringify(await createEnDocument(...input, 'full')),
}

export const DOCUMENT_FORMATS: readonly DocumentFormat[] = [EN, EN_FULL]
