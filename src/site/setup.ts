/** What the public door runs on. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Addresses } from '../passports/record.ts'

/** Who wants to know where pages came from. */
export type PageWatch = {
  page: (from: 'ready' | 'made' | 'stale') => void
  watchPages: (bytes: () => number) => void
}

export type SiteSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  /** Address of the JSON-LD context; with `#` it begins the `dpp:` terms. */
  nsUrl: string
  /** The operator's `SECRET_KEY`; access cookies are sealed with a key derived from it. */
  secretKey: string
  watch?: PageWatch | undefined
}
