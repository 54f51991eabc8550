/**
 * Bounds the bytes of request bodies in memory: of all clients, of each network and of each account. Bytes
 * count as they arrive, so a client that announces much or sends slowly holds only what it has sent.
 */
import type { ServerResponse } from 'node:http'
import { createRelease, releaseWithResponse } from '../concurrency/semaphore.ts'
import { AppError } from '../errors/errors.ts'
import { getNetwork } from './network.ts'

/** Bodies up to this size are not counted: the connection has a buffer of the same size anyway. */
export const MAX_UNCOUNTED_BODY_BYTES = 16 * 1024

/** For each process. Three of the largest bodies of one account leave one to others in its network. */
export const BODY_BYTES = {
  maxOfAll: 64 * 1024 * 1024,
  maxOfNetwork: 32 * 1024 * 1024,
  maxOfAccount: 24 * 1024 * 1024,
} as const

const RETRY_AFTER_MS = 2_000

type BodySender = {
  /** `ownAddress`: undefined behind a proxy that hides it. It is read for large bodies only. */
  request: { readonly ownAddress: string | undefined }
  accountId?: number | undefined
  /** The bytes are held until it ends. */
  response: ServerResponse | null
}

type Limits = { readonly [name in keyof typeof BODY_BYTES]: number }

export class BodiesInFlight {
  private readonly limits: Limits
  private readonly held = new Map<string, number>()

  constructor(limits: Limits = BODY_BYTES) {
    this.limits = limits
  }

  /**
   * Returns a function to call with the size of a body so far. It throws `unavailable` if the sender's share
   * is used up.
   */
  track(sender: BodySender): (size: number) => void {
    let held = 0
    let owners: Owner[] | undefined
    const add = (bytes: number) => {
      held += bytes
      for (const { name } of owners ?? []) this.add(name, bytes)
    }
    return size => {
      if (size <= MAX_UNCOUNTED_BODY_BYTES) return
      if (owners === undefined) {
        owners = listOwners(sender, this.limits)
        const release = createRelease(() => add(-held))
        if (sender.response !== null) releaseWithResponse(sender.response, release)
      }
      const more = size - held
      if (owners.some(({ name, max }) => this.count(name) + more > max)) throw tooManyBytes()
      add(more)
    }
  }

  /** The bytes that an owner holds; of all by default. */
  count(name = ALL): number {
    return this.held.get(name) ?? 0
  }

  private add(name: string, bytes: number): void {
    const left = this.count(name) + bytes
    if (left === 0) this.held.delete(name)
    else this.held.set(name, left)
  }
}

const ALL = 'all'

type Owner = { name: string; max: number }

function listOwners({ request: { ownAddress }, accountId }: BodySender, limits: Limits): Owner[] {
  const network = ownAddress === undefined ? undefined : getNetwork(ownAddress, 56)
  return [
    { name: ALL, max: limits.maxOfAll },
    ...(network === undefined ? [] : [{ name: `network ${network}`, max: limits.maxOfNetwork }]),
    ...(accountId === undefined ? [] : [{ name: `account ${accountId}`, max: limits.maxOfAccount }]),
  ]
}

const tooManyBytes = () =>
  new AppError(
    'unavailable',
    'Too many large bodies are being received at the same time. Nothing was changed. Try again in 2 seconds, or send fewer at a time.',
    undefined,
    RETRY_AFTER_MS,
  )
