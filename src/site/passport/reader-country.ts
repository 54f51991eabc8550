/**
 * The reader's country: by `?country=`, else by the region of `Accept-Language`. Never by the network
 * address, because readers share cached pages.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { findRequestedRegion } from '../../i18n/negotiate.ts'
import { memoize } from '../http/content-negotiation.ts'
import { getFirst, type Query } from './languages.ts'

const findRegion = memoize(findRequestedRegion)

/** Undefined unless it is one of `countries`. An unknown `?country=` asks for all of them. */
export function findReaderCountry(
  headers: IncomingHttpHeaders,
  { country }: Query,
  countries: ReadonlySet<string> | undefined,
): string | undefined {
  if (countries === undefined) return undefined
  const found = getFirst(country)?.toUpperCase() ?? findRegion(headers['accept-language'])
  return found !== undefined && countries.has(found) ? found : undefined
}
