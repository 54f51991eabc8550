/** Where the status of a credential stands, as credentials name it. */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { Addresses } from '../core/record.ts'
import { getOrCreatePlace } from '../signed/credential-status.ts'
import type { DocumentSetup, PlacedRow } from './setup.ts'

export const buildStatusListUrl = ({ publicUrl }: Addresses, issuerName: string, listNo: number): string =>
  `${publicUrl}/issuers/${issuerName}/status/${listNo}`

/** The same bits as a token status list. */
export const buildTokenListUrl = (...list: Parameters<typeof buildStatusListUrl>): string =>
  `${buildStatusListUrl(...list)}/token`

/** Gives the passport a place if it has none. */
export async function requireStatus(
  { sql, clock, addresses }: DocumentSetup,
  { name }: SecretIssuer,
  row: Pick<PlacedRow, 'id' | 'account_id' | 'version_no'>,
) {
  const version = { accountId: row.account_id, passportId: row.id, versionNo: row.version_no }
  const { listNo, index } = await getOrCreatePlace(sql, version, clock.now())
  return {
    index,
    listUrl: buildStatusListUrl(addresses, name, listNo),
    tokenListUrl: buildTokenListUrl(addresses, name, listNo),
  }
}
