/** One attempt to fetch a file from its address, and to store it like an upload. */
import { findHome } from '../../accounts/account-shard.ts'
import type { AccountContext, OperatorContext } from '../../accounts/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Outbound, OutboundFailure } from '../../kernel/http-out/outbound-http.ts'
import { addMedia } from '../add-media.ts'
import type { MediaServices } from '../media-services.ts'
import { type ClaimedFetch, MAX_FETCH_ATTEMPTS, settleFetch } from './claim-fetches.ts'
import { downloadFile } from './download-file.ts'

export type FetchContext = OperatorContext & MediaServices & { outbound: Outbound; timeoutMs?: number }

type FetchOutcome = 'ready' | 'refused' | 'again' | 'stopped'

/** `ctx.sql` is the home of the account. Throws errors that are faults of ours; the claim then expires. */
export async function fetchFile(ctx: FetchContext, claimed: ClaimedFetch): Promise<FetchOutcome> {
  const result = await tryToFetch(ctx, claimed)
  await settleFetch(ctx, claimed, result)
  if (result === 'stopped') return 'stopped'
  if ('mediaId' in result) return 'ready'
  return result.isPassing && claimed.attempts < MAX_FETCH_ATTEMPTS ? 'again' : 'refused'
}

async function tryToFetch(
  { outbound, timeoutMs, ...services }: FetchContext,
  { accountId, createdBy: actorId, sourceUrl, attempts }: ClaimedFetch,
): Promise<Parameters<typeof settleFetch>[2]> {
  // Attempts that ended with their worker are counted, too.
  if (attempts > MAX_FETCH_ATTEMPTS)
    return { reason: 'The file could not be fetched. Upload it instead.', isPassing: false }
  try {
    const download = await downloadFile(outbound, sourceUrl, timeoutMs === undefined ? {} : { timeoutMs })
    if ('reason' in download) return download
    // The bytes decide about the type: many servers declare a wrong one.
    const home = await findHome(services.sql, accountId)
    const ctx: AccountContext & MediaServices = { ...services, ...home, accountId, actorId }
    const { file } = await addMedia(ctx, { bytes: download.bytes })
    return { mediaId: file.id }
  } catch (error) {
    if (error instanceof OutboundFailure) return 'stopped'
    if (!(error instanceof AppError)) throw error
    return { reason: error.message, isPassing: error.code === 'unavailable' }
  }
}
