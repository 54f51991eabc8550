/** Builds the line of a passport for the EU registry, of nothing but what the public may see. */
import { buildEnDocument } from '../../standards/en18223/document.ts'
import {
  buildRegistryLine,
  type RegistryAction,
  type RegistryResult,
} from '../../standards/registry/registry-line.ts'
import { hashRegistryContent } from '../../standards/signing/content-hash.ts'
import { prepareReading } from '../documents/prepare-reading.ts'
import type { PlacedRow, UnsignedSetup } from '../documents/setup.ts'

/** Returns a function that makes the line for an action. It signs nothing. */
export async function prepareRegistryLine(
  setup: UnsignedSetup,
  row: PlacedRow,
  backupBaseUrl: string | null,
): Promise<(action: RegistryAction) => RegistryResult> {
  const { reading, publisher } = await prepareReading(setup, row, 'public')
  const contentHash = hashRegistryContent(buildEnDocument(reading, publisher))
  return action => buildRegistryLine({ reading, publisher, action, contentHash, backupBaseUrl })
}
