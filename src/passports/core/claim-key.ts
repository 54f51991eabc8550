/**
 * Keys of claims in `gtin_claim` and `released_gtin`: the GTIN-14, and for one that several companies use,
 * `@` and the account behind it. The function `carnet_claim_key` of the database makes the same ones.
 */
import { isWorldwideGtin, LOCAL_GTIN_PATTERN } from '../../gs1/gtin-kind.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

const GTIN_LENGTH = 14

export const toClaimKey = (gtin14: string, accountId: number): string =>
  isWorldwideGtin(gtin14) ? gtin14 : `${gtin14}@${accountId}`

export const getGtinOfClaim = (key: string): string => key.slice(0, GTIN_LENGTH)

/** True if the claim holds inside one account only. No address leads to it. */
export const isLocalClaim = (key: string): boolean => key.length > GTIN_LENGTH

/** The key of a claim in SQL, of a row with `gtin14` and `account_id`. Any machine of a cluster runs it. */
export const selectClaimKey = (sql: Sql): Fragment =>
  sql`case when gtin14 ~ ${LOCAL_GTIN_PATTERN} then gtin14 || '@' || account_id else gtin14 end`
