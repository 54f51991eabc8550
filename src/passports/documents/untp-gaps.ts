/** Lists the values that a passport still needs for a UNTP credential, for its account. */

import type { AccountContext } from '../../accounts/account/context.ts'
import { findIssuer } from '../../accounts/issuer/issuer.ts'
import { getSharedDatabase } from '../../kernel/db/shards.ts'
import { listMissingForUntp } from '../../standards/untp/untp-0.7.0.ts'
import { LEVEL_NAME } from '../core/record.ts'
import { effectiveData, type PassportState } from '../core/state.ts'

/** Paths of fields; empty as well for an account that signs nothing, which has no credentials. */
export async function listUntpGaps(
  { sql, accountId }: AccountContext,
  state: PassportState,
): Promise<string[]> {
  const issuer = await findIssuer(getSharedDatabase(sql), accountId)
  if (!issuer?.isSigning) return []
  const { level, lot, serial } = state.row
  // Each field that a credential requires is public in every category.
  return listMissingForUntp({ data: effectiveData(state), level: LEVEL_NAME[level], lot, serial })
}
