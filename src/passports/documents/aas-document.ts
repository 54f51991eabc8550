/** Builds the Asset Administration Shell of a passport, as JSON or as a package. It is not signed. */

import { notFound } from '../../kernel/errors/errors.ts'
import { buildAasx } from '../../standards/aas/aasx.ts'
import { renderAasEnvironment, renderSubmodel } from '../../standards/aas/environment.ts'
import { prepareReading } from './prepare-reading.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'

/** The environment, with what `audience` may see of this version. */
export async function createAasDocument(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
): Promise<string> {
  const { reading, publisher } = await prepareReading(setup, row, audience)
  return renderAasEnvironment(reading, publisher)
}

/** The environment as an AASX file. */
export async function createAasPackage(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
): Promise<Buffer> {
  const { reading, publisher } = await prepareReading(setup, row, audience)
  return buildAasx(reading, publisher)
}

/** A submodel by its `idShort`, with what `audience` may see. Throws `not_found` if the passport has none. */
export async function createSubmodel(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
  idShort: string,
): Promise<string> {
  const { reading, publisher } = await prepareReading(setup, row, audience)
  const text = renderSubmodel(reading, publisher, idShort)
  if (text === undefined) throw notFound('submodel')
  return text
}
