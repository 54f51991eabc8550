/** Builds the documents of EN 18223 of a passport, signed if its account signs. */
import type { DataObject } from '../../kernel/data-object.ts'
import { buildEnDocument, buildFullEnDocument } from '../../standards/en18223/document.ts'
import { prepareReading } from './prepare-reading.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'
import { signDocument } from './sign-document.ts'

export type EnForm = 'compressed' | 'full'

/** What `audience` may see of this version. Only the compressed form has a proof. */
export async function createEnDocument(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
  form: EnForm,
): Promise<DataObject> {
  const { reading, publisher, issuer } = await prepareReading(setup, row, audience)
  if (form === 'full') return buildFullEnDocument(reading, publisher)
  const document = buildEnDocument(reading, publisher)
  return issuer ? signDocument(setup, issuer, row, document, audience === 'public') : document
}
