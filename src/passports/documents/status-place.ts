/** Where the status of a credential stands, as credentials name it. */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { Addresses } from '../core/record.ts'
import { getOrCreatePlace, type StatusPlace } from '../signed/credential-status.ts'
import type { DocumentSetup, PlacedRow } from './setup.ts'

export const buildStatusListUrl = ({ publicUrl }: Addresses, issuerName: string, listNo: number): string =>
  `${publicUrl}/issuers/${issuerName}/status/${listNo}`

/** The list that says of which documents the passport has changed since, or is recalled or archived. */
export const buildMessageListUrl = ({ publicUrl }: Addresses, issuerName: string, listNo: number): string =>
  `${publicUrl}/issuers/${issuerName}/messages/${listNo}`

/** The same bits as a token status list. */
export const buildTokenListUrl = (...list: Parameters<typeof buildStatusListUrl>): string =>
  `${buildStatusListUrl(...list)}/token`

/** Gives the version a place if it has none. `known`: its place, if that has been read already. */
export async function requireStatus(
  { sql, clock, addresses }: DocumentSetup,
  { name }: SecretIssuer,
  row: Pick<PlacedRow, 'id' | 'account_id' | 'version_no'>,
  known?: StatusPlace,
) {
  const version = { accountId: row.account_id, passportId: row.id, versionNo: row.version_no }
  const { listNo, index } = known ?? (await getOrCreatePlace(sql, version, clock.now()))
  return {
    index,
    listUrl: buildStatusListUrl(addresses, name, listNo),
    tokenListUrl: buildTokenListUrl(addresses, name, listNo),
    /** As documents of EN 18223 and the records of credentials name it. */
    signedStatus: {
      index,
      revocationUrl: buildStatusListUrl(addresses, name, listNo),
      messageUrl: buildMessageListUrl(addresses, name, listNo),
    },
  }
}
