/** Claims from before an approval: what other accounts have with the names that are approved for one. */

import type { AccountContext } from '../../accounts/account/context.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { findNamedOwners } from '../core/named-owners.ts'

export type Conflict = {
  /** An identifier of another system, or a GTIN-14. */
  claim: string
  kind: 'dpp_id' | 'gtin'
  /** The approved name, as `approved-names.ts` writes it. */
  name: string
  account_id: string
}

const MAX_CONFLICTS = 1_000

/** At most a thousand of each kind. Reads all claims, so only commands of the operator call it. */
export async function listConflicts(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  names: readonly string[],
): Promise<Conflict[]> {
  const shared = getShard(sql, null)
  const texts = names.map(name => name.replace(/^(?:host|gs1):/, ''))
  if (texts.length === 0) return []
  const aliases = await shared<{ key: string; account_id: number }[]>`
    select key, account_id from dpp_alias
    where account_id <> ${accountId} and exists (select from unnest(${texts}::text[]) t where position(t in key) > 0)
    order by key limit ${MAX_CONFLICTS}`
  const prefixes = names.flatMap(name => (name.startsWith('gs1:') ? [name.slice('gs1:'.length)] : []))
  const gtins =
    prefixes.length === 0
      ? []
      : await shared<{ gtin14: string; account_id: number }[]>`
    select gtin14, account_id from gtin_claim
    where account_id <> ${accountId} and exists (
      select from unnest(${prefixes}::text[]) p where starts_with(substr(gtin14, 2), p))
    order by gtin14 limit ${MAX_CONFLICTS}`
  return [
    ...aliases.flatMap(({ key, account_id }): Conflict[] => {
      const { nearest, prefixes } = findNamedOwners(key)
      const name = [...nearest, ...prefixes].find(one => names.includes(one))
      return name === undefined ? [] : [{ claim: key, kind: 'dpp_id', name, account_id: String(account_id) }]
    }),
    ...gtins.flatMap(({ gtin14, account_id }): Conflict[] => {
      const prefix = prefixes.find(one => gtin14.startsWith(one, 1))
      return prefix === undefined
        ? []
        : [{ claim: gtin14, kind: 'gtin', name: `gs1:${prefix}`, account_id: String(account_id) }]
    }),
  ]
}
