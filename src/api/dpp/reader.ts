/** Who asks: the public, the holder of an access link, or a program with an API key. */
import type { AuthenticatedKey } from '../../accounts/keys/authenticate.ts'
import { getAccess, type ValidLink } from '../../passports/access/access-links.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { Reading } from '../../standards/reading.ts'

export type Reader =
  | { kind: 'public' }
  | { kind: 'link'; link: ValidLink; token: string }
  | { kind: 'key'; key: AuthenticatedKey }

/** Other accounts' passports, and those that a link does not open, are read as by the public. */
export function getAudience(
  reader: Reader,
  row: Pick<PassportRow, 'id' | 'account_id' | 'parent_id' | 'model_id'>,
): Reading['audience'] {
  switch (reader.kind) {
    case 'public':
      return 'public'
    case 'link':
      return getAccess(reader.link, row)?.audience ?? 'public'
    case 'key':
      return reader.key.accountId === row.account_id ? 'owner' : 'public'
  }
}
