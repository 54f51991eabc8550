/** What the public door runs on. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { ScanRecorder } from '../../scans/recorder.ts'

/** Who wants to know where pages came from. */
export type PageMetrics = {
  page: (from: 'ready' | 'made' | 'stale' | 'refused') => void
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
  watch?: PageMetrics | undefined
}

/** Bounds the answers that no cache helps with, by the network that asks for them. */
export type UncachedLimit = {
  /**
   * Has an answer made when it is its turn, which is over with the work. Throws `rate_limited`. Of a client that leaves
   * before, `work` is not called, unless it serves others too, who are told by there being no `reply`.
   */
  make: <T>(
    request: FastifyRequest,
    reply: FastifyReply | undefined,
    work: () => Promise<T>,
  ) => Promise<T | undefined>
  /** Takes the last one back: it was for a reader with an access link. */
  giveBack: (request: FastifyRequest) => void
}

/** With what the parts of the door share. */
export type SiteContext = SiteSetup & { uncached: UncachedLimit }
