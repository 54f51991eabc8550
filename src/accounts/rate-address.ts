/**
 * How many requests a minute come from an address without a key: open calls and keys that are none. In this process's
 * memory alone, under a hash whose salt lives no longer than the process.
 */
import { randomBytes } from 'node:crypto'
import { sha256Hex } from '../kernel/crypto.ts'
import { networkOf } from '../kernel/network.ts'
import type { Permit } from './rate-share.ts'
import { type RateWindow, rateWindow } from './rate-window.ts'

export const REQUESTS_PER_ADDRESS = 300
/** Steps this long bound an address to 61 of them: 4 kB, 40 MB for as many addresses as are remembered. */
const STEP_MS = 1_000
export const MOST_ADDRESSES = 10_000

export type AddressLimits = {
  /** One request from an address, counted if there is room. */
  take: (address: string, now: number) => Permit
  /** How many addresses are remembered. */
  size: () => number
}

export function addressLimits(): AddressLimits {
  const salt = randomBytes(16).toString('hex')
  const windows = new Map<string, RateWindow>()
  return {
    take(address, now) {
      const key = sha256Hex(salt + networkOf(address))
      const uses = windows.get(key) ?? rateWindow(STEP_MS)
      // Newest last, so that the one forgotten first is the one not seen for longest.
      windows.delete(key)
      windows.set(key, uses)
      const [oldest] = windows.keys()
      if (windows.size > MOST_ADDRESSES && oldest !== undefined) windows.delete(oldest)
      const isGranted = uses.count(now) < REQUESTS_PER_ADDRESS
      if (isGranted) uses.add(now)
      const remaining = REQUESTS_PER_ADDRESS - uses.count(now)
      return { isGranted, limit: REQUESTS_PER_ADDRESS, remaining, nextOver: uses.nextOver() ?? now }
    },
    size: () => windows.size,
  }
}
