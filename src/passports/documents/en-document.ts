/** Builds the documents of EN 18223 of a passport, signed if its account signs. */
import type { DataObject } from '../../kernel/data-object.ts'
import { buildEnDocument, buildFullEnDocument } from '../../standards/en18223/document.ts'
import { prepareReading } from './prepare-reading.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'
import { findSigningIssuer, getSignatureEnd, signDocument } from './sign-document.ts'
import { getOrBuildText } from './signed-texts.ts'

export type EnForm = 'compressed' | 'full'

/** The document as JSON. */
export async function createEnText(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
  form: EnForm,
): Promise<string> {
  const build = async () => JSON.stringify(await createEnDocument(setup, row, audience, form))
  if (audience !== 'public' || form === 'full') return build()
  const issuer = await findSigningIssuer(setup, row.account_id)
  if (issuer === undefined) return build()
  return getOrBuildText(setup.sql, 'en', { row, issuer, end: getSignatureEnd(setup) }, build)
}

/** What `audience` may see of this version. Only the compressed form has a proof. */
export async function createEnDocument(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
  form: EnForm,
): Promise<DataObject> {
  const { document, issuer } = await buildUnsigned(setup, row, audience, form)
  if (issuer === undefined || form === 'full') return document
  return signDocument(setup, issuer, row, document, audience === 'public')
}

/** The same without a proof, for reads of single elements. */
export const createUnsignedEnDocument = async (
  ...input: Parameters<typeof createEnDocument>
): Promise<DataObject> => (await buildUnsigned(...input)).document

async function buildUnsigned(...[setup, row, audience, form]: Parameters<typeof createEnDocument>) {
  const { reading, publisher, issuer } = await prepareReading(setup, row, audience)
  const build = form === 'full' ? buildFullEnDocument : buildEnDocument
  return { document: build(reading, publisher), issuer }
}
