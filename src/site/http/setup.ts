/** The dependencies of the public site. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Asker } from '../../accounts/limits/turns.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { PageSource } from '../../kernel/monitoring/metrics.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { MediaServices } from '../../media/upkeep/media-services.ts'
import type { Addresses } from '../../passports/core/record.ts'
import type { ScanRecorder } from '../../scans/recorder.ts'

/** The answer for a reader who accepts anything: the page, or the document of EN 18223. */
export type AnyAccept = 'html' | 'json'

export type SiteSetup = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  /** Address of the JSON-LD context. The `dpp:` terms begin with it and `#`. */
  nsUrl: string
  /** For how many days what is signed is valid. */
  signatureDays: number
  anyAccept: AnyAccept
  /** The operator's `SECRET_KEY`. The key that encrypts access cookies is derived from it. */
  secretKey: string
  /** Decrypts the signing keys of accounts. */
  secretCipher: SecretCipher
  scans: ScanRecorder
  media: Pick<MediaServices, 'mediaStore'>
  /** CIDR ranges and addresses of the reverse proxies. */
  trustedProxies: readonly string[]
  /** Lower-case name of the header in which a trusted proxy sends the reader's country. */
  countryHeader: string | undefined
  pageMetrics?: PageMetrics | undefined
  /**
   * All requests are of one program that writes each page to a file: they need no turns, and no page is
   * cached.
   */
  isForFiles?: boolean
}

/** Counts pages by their source for `carnet_pages_total`. */
type PageMetrics = {
  countPage: (source: PageSource) => void
  watchPageCacheSize: (bytes: () => number) => void
}

type RunOptions = Omit<Asker, 'address'> & {
  /** Which limit of the network counts it: of pages, of pages by access link, or none. */
  countsAs?: 'page' | 'link' | 'nothing'
  /** Other clients wait for the same work, so it is done even if this one leaves. */
  isShared?: boolean
}

/** Limits how many uncached responses each network may request. */
export type UncachedLimit = {
  /**
   * Runs `work` when it is this reader's turn. If the client disconnects first, `work` is not called. Throws
   * `rate_limited` if the network has requested too much, and `unavailable` if the server is busy. Do not
   * call it in `work`: it could wait for itself.
   */
  run: <T>(reply: FastifyReply, work: () => Promise<T>, options?: RunOptions) => Promise<T | undefined>
  /** Counts a page of a request that was counted as something else. Throws `rate_limited`. */
  countPage: (request: FastifyRequest) => void
  /** Counts a request as one by access link, because its link is valid. Throws `rate_limited`. */
  countLink: (request: FastifyRequest) => void
  /** Refunds a request that turned out to be of a member or key of the account. */
  refund: (request: FastifyRequest) => void
}

/** Shared by all routes of the site. */
export type SiteContext = SiteSetup & { uncachedLimit: UncachedLimit }

/** The path of `publicUrl`, without a trailing slash. */
export const getBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
