/** Signs the manifest of a mirror with the key of its account. */
import type { DataObject } from '../../kernel/values/data-object.ts'
import { addProof } from '../../standards/signing/data-integrity.ts'
import {
  buildMirrorManifest,
  MANIFEST_PATH,
  type MirroredFile,
  STATE_FOLDER,
} from '../../standards/signing/mirror-manifest.ts'
import { createSigner } from '../../standards/signing/p256.ts'
import { getIssuerIdentity } from './issuer-identity.ts'
import type { DocumentSetup } from './setup.ts'
import { findSigningIssuer, getDid, getSignatureEnd } from './sign-document.ts'

/** Files of a mirror that the manifest explains and does not hash. */
export const MIRROR_PATHS = { manifest: MANIFEST_PATH, state: STATE_FOLDER } as const

/** With a proof if the account signs. It ends when the documents do that were written at the same time. */
export async function createManifest(
  setup: DocumentSetup,
  accountId: number,
  files: readonly MirroredFile[],
): Promise<DataObject> {
  const now = setup.clock.now()
  const unsigned = buildMirrorManifest(files, now)
  const issuer = await findSigningIssuer(setup, accountId)
  if (issuer?.signingKey === undefined) return unsigned
  const { number, privateKey } = issuer.signingKey
  const { name, isVerified } = getIssuerIdentity(setup.addresses, issuer)
  const manifest = { ...unsigned, issuer: { did: getDid(setup, issuer), name, verified: isVerified } }
  const signer = createSigner(getDid(setup, issuer), `key-${number}`, privateKey)
  return addProof(manifest, signer, now, getSignatureEnd(setup))
}
