/** What the public door runs on. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db.ts'
import type { Addresses } from '../passports/record.ts'
import type { ScanRecorder } from '../scans/recorder.ts'

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
  scans: ScanRecorder
  /** CIDR ranges and addresses of the proxies in front. */
  trustedProxies: readonly string[]
  /** Lower-case name of the header in which such a proxy tells the reader's country. */
  countryHeader: string | undefined
  watch?: PageWatch | undefined
}
