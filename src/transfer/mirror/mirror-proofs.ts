/** Writes the proof of each version that is under a daily root, once, and the time stamps of the roots. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { listProofDocuments, type ProofDocument } from '../../passports/documents/list-proof-documents.ts'
import type { DocumentSetup } from '../../passports/documents/setup.ts'
import { listRootTokens } from '../../passports/signed/list-version-proofs.ts'
import type { StaticFile } from '../static/passport-pages.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import type { MirrorGroup } from './mirror-group.ts'

/** Also of the current version, because it does not change when the next version is made. */
const getProofPath = (id: string, versionNo: number) => `p/${id}/v/${versionNo}/proof.json`

/** So that the other files of a passport can be written without its proofs. */
export function keepProofs(group: MirrorGroup, id: string, versions: number): void {
  for (let version = 1; version <= versions; version++) {
    const path = getProofPath(id, version)
    if (group.wasKnown(path)) group.keep(path)
  }
}

/** Without the key for commitments nothing is written, and what is there stays. Returns how many proofs. */
export async function mirrorProofs(
  setup: DocumentSetup,
  ctx: AccountContext,
  mirror: MirrorFolder,
): Promise<number> {
  const { state } = mirror
  let count = 0
  const after = typeof state.proven_through === 'string' ? new Date(state.proven_through) : null
  for await (const { until, proofs } of listProofDocuments(setup, ctx, after)) {
    let held: ProofDocument[] = []
    for await (const proof of proofs) {
      if (held[0] !== undefined && held[0].id !== proof.id) {
        await writeProofs(mirror, held)
        held = []
      }
      held.push(proof)
      count++
    }
    await writeProofs(mirror, held)
    state.proven_through = until.toISOString()
    await mirror.save()
  }
  return count
}

/** For one passport. */
async function writeProofs(mirror: MirrorFolder, proofs: readonly ProofDocument[]): Promise<void> {
  const [first] = proofs
  if (first === undefined) return
  const files = proofs.map(
    ({ id, versionNo, document }): StaticFile => ({
      path: getProofPath(id, versionNo),
      body: JSON.stringify(document),
    }),
  )
  const group = await mirror.openGroup(first.id, { keeps: true, reads: false })
  await group.put(...files)
  await group.close()
}

/** `folder`: that of the issuer's keys. */
export async function mirrorTokens(ctx: AccountContext, shared: MirrorGroup, folder: string): Promise<void> {
  for (const { until, token } of await listRootTokens(ctx)) {
    await shared.put({ path: `${folder}/roots/${until.toISOString().slice(0, 10)}.tst`, body: token })
  }
}
