/** Builds the documents of EN 18223 of a passport, signed if its account signs. */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { buildEnDocument, buildFullEnDocument } from '../../standards/en18223/document.ts'
import type { SignedStatus } from '../../standards/reading.ts'
import type { StatusPlace } from '../signed/credential-status.ts'
import { prepareReading } from './prepare-reading.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'
import { findSigningIssuer, getSignatureEnd, signDocument } from './sign-document.ts'
import { getOrBuildText } from './signed-texts.ts'
import { requireStatus } from './status-place.ts'

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

/** Builds the document of this version for `audience`. Only the compressed form has a proof. */
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
  const { reading: unsigned, publisher, issuer, place } = await prepareReading(setup, row, audience)
  const signedStatus = issuer === undefined ? undefined : await findStatus(setup, issuer, row, place)
  const reading = signedStatus === undefined ? unsigned : { ...unsigned, signedStatus }
  const build = form === 'full' ? buildFullEnDocument : buildEnDocument
  return { document: build(reading, publisher), issuer }
}

/**
 * Undefined while the account is being moved, if the version has no place yet: it can be read all the same.
 * After the move it is on another shard, which makes caches build it again.
 */
async function findStatus(
  setup: DocumentSetup,
  issuer: SecretIssuer,
  row: PlacedRow,
  known: StatusPlace | undefined,
): Promise<SignedStatus | undefined> {
  try {
    return (await requireStatus(setup, issuer, row, known)).signedStatus
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return undefined
    throw error
  }
}
