/** One attempt to fetch a file from its address, and to store it like an upload. */
import { findHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext, OperatorContext } from '../../accounts/account/context.ts'
import { AppError, type ErrorCode } from '../../kernel/errors/errors.ts'
import { type Outbound, OutboundFailure } from '../../kernel/http-out/outbound-http.ts'
import { addMedia } from '../upkeep/add-media.ts'
import type { MediaServices } from '../upkeep/media-services.ts'
import { type ClaimedFetch, getMaxAttempts, settleFetch } from './claim-fetches.ts'
import { downloadFile, type FetchFailure } from './download-file.ts'

export type FetchContext = OperatorContext & MediaServices & { outbound: Outbound; timeoutMs?: number }

type FetchOutcome = 'ready' | 'refused' | 'again' | 'busy' | 'stopped'

/** `ctx.sql` is the home of the account. Throws errors that are faults of ours; the claim then expires. */
export async function fetchFile(ctx: FetchContext, claimed: ClaimedFetch): Promise<FetchOutcome> {
  const result = await tryToFetch(ctx, claimed)
  await settleFetch(ctx, claimed, result)
  if (result === 'stopped') return result
  if ('busy' in result) return 'busy'
  if ('mediaId' in result) return 'ready'
  return result.isPassing && claimed.attempts < getMaxAttempts(claimed) ? 'again' : 'refused'
}

async function tryToFetch(
  { outbound, timeoutMs, ...services }: FetchContext,
  claimed: ClaimedFetch,
): Promise<Parameters<typeof settleFetch>[2]> {
  const { accountId, createdBy: actorId, sourceUrl } = claimed
  // Attempts that ended with their worker are counted, too.
  if (claimed.attempts > getMaxAttempts(claimed)) {
    const reason = 'The file could not be fetched. Upload it instead.'
    return { failure: 'other', reason, isPassing: false }
  }
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
    if (error.code === 'unavailable') return { busy: error }
    const failure = FAILURES[error.code] ?? 'damaged'
    const isLarge = error.details?.some(({ code }) => code === 'media_dimensions') === true
    return { failure: isLarge ? 'too_large' : failure, reason: error.message, isPassing: false }
  }
}

/** Other errors are those of the file's content. */
const FAILURES: Readonly<Partial<Record<ErrorCode, FetchFailure>>> = {
  plan_limit: 'no_room',
  payload_too_large: 'too_large',
  unsupported_media_type: 'no_picture',
}
