/** Pictures that the rows of an import name: checked with the rows, and fetched before a chunk is written. */
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountContext } from '../../../accounts/account/context.ts'
import { shorten } from '../../../kernel/errors/detail-json.ts'
import { findUrlError, type OutboundPolicy } from '../../../kernel/http-out/outbound-url.ts'
import type { FetchFailure } from '../../../media/fetch/download-file.ts'
import {
  type FetchedPicture,
  noteImportFetches,
  readImportFetches,
  startImportFetches,
} from '../../../media/fetch/import-fetches.ts'
import { KIND_LETTER, MEDIA_ID } from '../../../media/files/media-file.ts'
import { findUnknownUses } from '../../../media/uses/media-use.ts'
import { isPicturesColumn } from '../columns/columns.ts'
import { listPictureSources, type PictureIds, parsePicture } from '../columns/pictures.ts'
import type { RowError } from '../columns/row-errors.ts'
import type { ParsedRow, RowOptions } from '../columns/row-to-passport.ts'
import type { SpreadsheetImport } from './spreadsheet-import.ts'

/** `publicUrl`: where our own addresses of pictures begin. `policy`: from where pictures may be fetched. */
export type PictureRules = { publicUrl: string; policy: OutboundPolicy }

type PictureErrorKey = FetchFailure | 'malformed' | 'unknown' | 'too_many'

/** As the field table has it. */
const MAX_PICTURES = 12
const POLL_INTERVAL_MS = 250
/** Less than other processes wait before they take over an import. */
const HEARTBEAT_MS = 2_000

type PictureRow = { place: number; data: ParsedRow }

type PictureCheck = {
  ctx: AccountContext
  sheet: Pick<SpreadsheetImport, 'id'>
  reading: RowOptions
  rules: PictureRules
}

export const hasPictures = ({ columns }: RowOptions): boolean => columns.some(isPicturesColumn)

/** The addresses of a row that are to be fetched; our own are none of them. */
const listAddresses = ({ data }: ParsedRow, { publicUrl }: PictureRules): string[] =>
  listPictureSources(data).filter(one => !MEDIA_ID.test(parsePicture(one, publicUrl)))

/** Checks the pictures of rows without fetching any, and notes the addresses of rows without errors. */
export async function notePictures(
  check: PictureCheck,
  rows: readonly PictureRow[],
): Promise<Map<number, RowError[]>> {
  const { ctx, sheet, rules } = check
  const faults = await findFaults(check, rows)
  const good = rows.filter(({ place }) => !faults.has(place))
  const addresses = new Set(good.flatMap(({ data }) => listAddresses(data, rules)))
  await noteImportFetches(ctx, sheet.id, [...addresses])
  return faults
}

type PictureFiles = {
  files: PictureIds
  faults: Map<number, RowError[]>
  /** Pictures that could not be fetched, by row: it is written without them. */
  notes: Map<number, RowError[]>
}

/** The ids of the rows' pictures, and those that could not be fetched. */
export async function readPictureFiles(
  check: PictureCheck,
  rows: readonly PictureRow[],
): Promise<PictureFiles> {
  const { ctx, sheet, rules, reading } = check
  const addresses = [...new Set(rows.flatMap(({ data }) => listAddresses(data, rules)))]
  const found = await readImportFetches(ctx, sheet.id, addresses)
  const fetched = [...found].flatMap(([url, one]): [string, string][] => ('id' in one ? [[url, one.id]] : []))
  const problems = new Map(addresses.flatMap(address => findFetchProblem(address, found.get(address))))
  const column = reading.columns.findIndex(isPicturesColumn)
  const notes = rows.flatMap(({ place, data }): [number, RowError[]][] => {
    const own = listAddresses(data, rules).flatMap(address => {
      const problem = problems.get(address)
      return problem === undefined ? [] : [buildPictureError(column, problem, { address })]
    })
    return own.length === 0 ? [] : [[place, own]]
  })
  const files = { publicUrl: rules.publicUrl, fetched: new Map(fetched), lost: new Set(problems.keys()) }
  return { files, faults: await findFaults(check, rows), notes: new Map(notes) }
}

function findFetchProblem(
  address: string,
  found: FetchedPicture | undefined,
): [address: string, AddressProblem][] {
  if (found !== undefined && 'id' in found) return []
  const reason = found?.reason ?? 'The picture was not fetched.'
  return [[address, { key: found?.failure ?? 'other', reason }]]
}

type AddressProblem = { key: PictureErrorKey; reason: string }

function findAddressProblem(address: string, { policy }: PictureRules): AddressProblem | undefined {
  const problem = findUrlError(address, policy)
  if (problem === undefined) return undefined
  const isPrivate = problem.name === 'this_machine' || problem.name === 'forbidden'
  return { key: isPrivate ? 'not_public' : 'malformed', reason: problem.sentence }
}

async function findFaults(
  { ctx, reading, rules }: PictureCheck,
  rows: readonly PictureRow[],
): Promise<Map<number, RowError[]>> {
  const unknown = await findUnknownIds(ctx, rows, rules)
  const faults = new Map<number, RowError[]>()
  const column = reading.columns.findIndex(isPicturesColumn)
  for (const { place, data: row } of rows) {
    const pictures: readonly unknown[] = Array.isArray(row.data.pictures) ? row.data.pictures : []
    const problems = listAddresses(row, rules).flatMap(address => {
      const problem = findAddressProblem(address, rules)
      return problem === undefined ? [] : [buildPictureError(column, problem, { address })]
    })
    for (const id of listIds(row, rules)) {
      const reason = 'This account has no such picture that is ready.'
      if (unknown.has(id))
        problems.push(buildPictureError(column, { key: 'unknown', reason }, { address: id }))
    }
    if (pictures.length > MAX_PICTURES) {
      const reason = `A product can have ${MAX_PICTURES} pictures.`
      problems.push(buildPictureError(column, { key: 'too_many', reason }, { count: pictures.length }))
    }
    if (problems.length > 0) faults.set(place, problems)
  }
  return faults
}

function listIds({ data }: ParsedRow, { publicUrl }: PictureRules): string[] {
  const pictures: readonly { media?: unknown }[] = Array.isArray(data.pictures) ? data.pictures : []
  return pictures.flatMap(({ media }) => {
    const id = typeof media === 'string' ? parsePicture(media, publicUrl) : ''
    return MEDIA_ID.test(id) ? [id] : []
  })
}

async function findUnknownIds(
  { sql, accountId }: AccountContext,
  rows: readonly PictureRow[],
  rules: PictureRules,
): Promise<ReadonlySet<string>> {
  const ids = new Set(rows.flatMap(({ data }) => listIds(data, rules)))
  const uses = [...ids].map(media => ({ account_id: accountId, media, kind: KIND_LETTER.picture }))
  return new Set((await findUnknownUses(sql, uses)).map(({ media }) => media))
}

const MAX_SHOWN_LENGTH = 200

function buildPictureError(
  column: number,
  { key, reason }: AddressProblem,
  { address = '', ...facts }: { address?: string; count?: number },
): RowError {
  const shown = address === '' ? {} : { address: shorten(address, MAX_SHOWN_LENGTH) }
  const message = address === '' ? reason : `${shown.address}: ${reason}`
  return { column, field: 'pictures', code: 'picture', message, said: { key, facts: { ...shown, ...facts } } }
}

type Waiting = {
  canContinue: () => boolean
  /** Says that this process works on; false if it must not. */
  keepAlive: () => Promise<boolean>
}

/**
 * Waits until the worker has fetched what these rows name, or has given up. Returns false if it stopped
 * before.
 */
export async function fetchPictures(
  { ctx, sheet, rules }: Omit<PictureCheck, 'reading'>,
  rows: readonly ParsedRow[],
  { canContinue, keepAlive }: Waiting,
): Promise<boolean> {
  const addresses = [...new Set(rows.flatMap(row => listAddresses(row, rules)))]
  const usable = addresses.filter(one => findUrlError(one, rules.policy) === undefined)
  if (usable.length === 0) return true
  await noteImportFetches(ctx, sheet.id, usable)
  await startImportFetches(ctx, sheet.id)
  for (let told = performance.now(); ; await pause(POLL_INTERVAL_MS)) {
    if ((await readImportFetches(ctx, sheet.id, usable)).size === usable.length) return true
    if (!canContinue()) return false
    if (performance.now() - told < HEARTBEAT_MS) continue
    told = performance.now()
    if (!(await keepAlive())) return false
  }
}
