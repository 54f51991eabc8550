/**
 * Turns for expensive answers. Accounts, access links, networks and providers take turns and have a share of
 * the permits, so that none of them makes the others wait.
 */
import type { ServerResponse } from 'node:http'
import { FairTurns } from '../../kernel/concurrency/fair-turns.ts'
import type { Release } from '../../kernel/concurrency/semaphore.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { getNetwork } from '../../kernel/http/network.ts'
import type { OperatorContext } from '../account/context.ts'

/** The permits of one kind of work. One that takes minutes must not use up those of the others. */
type Pool = {
  /** Permits in this process. */
  capacity: number
  /** An account, an access link or a reader at one network may hold so many while others are active. */
  maxOfClient: number
  /** An account or an access link at all networks together. */
  maxOfAccount: number
  /** The networks of one provider may hold so many together: some permits are left for others. */
  maxOfProvider: number
  /** Shares hold without others, too: the work takes long, so a lent permit would not be back soon. */
  isStrict: boolean
  /** While others are active, a client pauses after each turn. */
  pauses: boolean
  maxWaitingOfKey: number
  maxWaitMs: number
  retryAfterMs: number
}

export const MAX_WAITING_PER_NETWORK = 32
export const MAX_WAITING = 512
export const MAX_WAITING_FILES = 16

const POOLS = {
  /**
   * Uncached pages, documents and files for readers of any door. At most four look-ups share a statement; a
   * higher limit saved no processor time. They wait as long as a statement may wait for a connection.
   */
  readers: {
    capacity: 4,
    maxOfClient: 1,
    maxOfAccount: 2,
    maxOfProvider: 3,
    isStrict: false,
    pauses: true,
    maxWaitingOfKey: MAX_WAITING_PER_NETWORK,
    maxWaitMs: 5_000,
    retryAfterMs: 2_000,
  },
  /** Pages of the console. */
  console: {
    capacity: 4,
    maxOfClient: 2,
    maxOfAccount: 2,
    maxOfProvider: 3,
    isStrict: false,
    pauses: true,
    maxWaitingOfKey: MAX_WAITING_PER_NETWORK,
    maxWaitMs: 5_000,
    retryAfterMs: 2_000,
  },
  /** Files that the console makes: exports, labels, lists. Some take minutes, so few are waited for. */
  downloads: {
    capacity: 4,
    maxOfClient: 2,
    maxOfAccount: 2,
    maxOfProvider: 3,
    isStrict: true,
    pauses: false,
    maxWaitingOfKey: 4,
    maxWaitMs: 2_000,
    retryAfterMs: 30_000,
  },
  /** Files that the console receives. Each is in memory while it arrives. */
  uploads: {
    capacity: 6,
    maxOfClient: 3,
    maxOfAccount: 3,
    maxOfProvider: 4,
    isStrict: true,
    pauses: false,
    maxWaitingOfKey: 4,
    maxWaitMs: 2_000,
    retryAfterMs: 5_000,
  },
  /** Files that the API receives: up to 20 MiB each, and as much again on the way to the preparer. */
  files: {
    capacity: 8,
    maxOfClient: 4,
    maxOfAccount: 4,
    maxOfProvider: 5,
    isStrict: true,
    pauses: false,
    maxWaitingOfKey: MAX_WAITING_FILES,
    maxWaitMs: 10_000,
    retryAfterMs: 5_000,
  },
  /** Calls of the API that cost more than most: searches, reports, bulk calls. */
  api: {
    capacity: 4,
    maxOfClient: 1,
    maxOfAccount: 2,
    maxOfProvider: 3,
    isStrict: false,
    pauses: true,
    maxWaitingOfKey: MAX_WAITING_PER_NETWORK,
    maxWaitMs: 10_000,
    retryAfterMs: 2_000,
  },
  /** Writes to `/dpp/v1`: each checks a whole document first. */
  writes: {
    capacity: 8,
    maxOfClient: 2,
    maxOfAccount: 4,
    maxOfProvider: 7,
    isStrict: false,
    pauses: true,
    maxWaitingOfKey: MAX_WAITING_PER_NETWORK,
    maxWaitMs: 5_000,
    retryAfterMs: 2_000,
  },
  /** Passwords that are checked. Two are hashed at a time; the others read and write rows meanwhile. */
  passwords: {
    capacity: 4,
    maxOfClient: 4,
    maxOfAccount: 4,
    maxOfProvider: 3,
    isStrict: false,
    pauses: false,
    maxWaitingOfKey: MAX_WAITING_PER_NETWORK,
    maxWaitMs: 8_000,
    retryAfterMs: 5_000,
  },
} as const satisfies Record<string, Pool>

export type TurnPool = keyof typeof POOLS

/** Readers behind a proxy that hides their addresses share this key. */
const PROXIES_KEY = 'proxies'

/** Who asks. `address`: undefined behind a proxy that hides it. */
export type Asker = {
  address: string | undefined
  accountId?: number | undefined
  /**
   * The token of an access link that was found valid. Without that, anybody could send a new one each time
   * and have many queues.
   */
  verifiedToken?: string | undefined
}

const turnsOf = perSharedDatabase((_sql: Sql) => {
  const create = (pool: TurnPool) =>
    new FairTurns({ capacity: POOLS[pool].capacity, maxWaiting: MAX_WAITING })
  return {
    readers: create('readers'),
    console: create('console'),
    downloads: create('downloads'),
    uploads: create('uploads'),
    files: create('files'),
    api: create('api'),
    writes: create('writes'),
    passwords: create('passwords'),
  } satisfies Record<TurnPool, FairTurns>
})

type Wait = {
  pool: TurnPool
  asker: Asker
  /** Undefined if others need the work too. Otherwise it is not done once this is closed. */
  response: ServerResponse | undefined
  /** When the body began to arrive: what that cost counts, too. */
  since?: number | undefined
}

/**
 * Waits for a turn; release it when the work is done. Undefined if the response was closed first. Throws
 * `unavailable` if too many wait or it takes too long.
 */
export async function waitForTurn(
  ctx: Pick<OperatorContext, 'sql'>,
  { pool, asker, response, since }: Wait,
): Promise<Release | undefined> {
  const { maxWaitMs, retryAfterMs } = POOLS[pool]
  const turn = await turnsOf(ctx.sql)[pool].acquire({
    ...describeAsker(pool, asker),
    maxWaitMs,
    response,
    since,
  })
  if (turn === 'rejected') throw overloaded(retryAfterMs)
  return turn === 'disconnected' ? undefined : turn
}

/** An overload is never the fault of who asks: others may have caused it. */
export function overloaded(retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const wait = seconds === 1 ? 'one second' : `${seconds} seconds`
  const message = `The server is busy with other requests. Try again in ${wait}.`
  return new AppError('unavailable', message, undefined, seconds * 1000)
}

function describeAsker(pool: TurnPool, { address, accountId, verifiedToken }: Asker) {
  const { maxOfClient, maxOfAccount, maxOfProvider, maxWaitingOfKey, isStrict, pauses } = POOLS[pool]
  const network = address === undefined ? PROXIES_KEY : getNetwork(address, 56)
  // All readers behind one proxy are not one client.
  const isHidden = address === undefined && accountId === undefined && verifiedToken === undefined
  const key = `${accountId ?? verifiedToken ?? ''} ${network}`
  const groups = [
    ...(isHidden ? [] : [{ name: `client ${key}`, max: maxOfClient, pauses }]),
    ...(address === undefined ? [] : [{ name: `provider ${getNetwork(address, 32)}`, max: maxOfProvider }]),
    ...(accountId === undefined ? [] : [{ name: `account ${accountId}`, max: maxOfAccount }]),
    ...(verifiedToken === undefined ? [] : [{ name: `link ${verifiedToken}`, max: maxOfAccount }]),
  ]
  return {
    key,
    groups: groups.map(group => ({ ...group, isStrict })),
    maxOfKey: address === undefined ? MAX_WAITING : maxWaitingOfKey,
  }
}
