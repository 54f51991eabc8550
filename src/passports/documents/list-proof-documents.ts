/** The proofs of all versions under the daily roots of an account, as files that `carnet verify` reads. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { getSecretIssuer } from '../../accounts/issuer/issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { buildVersionProof } from '../../standards/signing/version-proof.ts'
import { passportUrl } from '../core/record.ts'
import { type DailyRoot, listDailyRoots, listVersionProofs } from '../signed/list-version-proofs.ts'
import type { DocumentSetup } from './setup.ts'

/** `id`: of the passport. */
export type ProofDocument = { id: string; versionNo: number; document: DataObject }

type RootProofs = { until: Date; proofs: AsyncGenerator<ProofDocument> }

/**
 * Lists documents of roots whose time is after `after`, or of all, by passport and version. They lack the
 * time stamp, which is the same for all of a root. Nothing without the key for commitments.
 */
export async function* listProofDocuments(
  { sql, secretCipher, clock, addresses }: DocumentSetup,
  ctx: AccountContext,
  after: Date | null,
): AsyncGenerator<RootProofs> {
  const issuer = await getSecretIssuer(sql, secretCipher, ctx.accountId, clock.now())
  if (issuer?.commitKey === undefined) return
  for (const root of await listDailyRoots(ctx, { after }))
    yield { until: root.until, proofs: listDocuments(addresses, ctx, issuer.commitKey, root) }
}

async function* listDocuments(
  addresses: DocumentSetup['addresses'],
  ctx: AccountContext,
  commitKey: Buffer,
  dailyRoot: DailyRoot,
): AsyncGenerator<ProofDocument> {
  const { versions: size, root, until } = dailyRoot
  for await (const proof of listVersionProofs(ctx, commitKey, dailyRoot)) {
    const id = idFromUuid(proof.passport)
    const place = { passportId: id, address: passportUrl(addresses, id), size, root, until, token: null }
    yield { id, versionNo: proof.versionNo, document: buildVersionProof({ ...proof, ...place }) }
  }
}
