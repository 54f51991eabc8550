/** Reads what the page of one version shows besides its row. */
import type { Brand } from '../../accounts/brand/brand.ts'
import type { Audience } from '../../categories/field.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getLifeState, parseLife } from '../../passports/core/unit-life.ts'
import { readEventsFor } from '../../passports/life/reader-events.ts'
import { readOffersOf, sortByNearness } from '../../passports/offers/read-offers.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { findPassportFiles } from '../../passports/read/picture-files.ts'
import { readPublicHistory } from '../../passports/read/public-version.ts'
import { type PageStory, readStory } from '../../passports/story/read-story.ts'
import { readPendingCorrection } from '../../passports/units/pending-correction.ts'
import type { SiteSetup } from '../http/setup.ts'
import { buildPassportView, type PageLife, type PassportView } from '../page/passport-view.ts'
import { HTML, type PassportFormat } from './formats.ts'

type ReadSetup = Pick<SiteSetup, 'sql' | 'addresses'>

/** `row` is one version of the passport. */
type PageVersion = {
  row: PublicPassportRow
  brand: Brand
  newestVersionNo: number
  audience: Audience
  format: PassportFormat
}

export async function readPage(
  setup: ReadSetup,
  { row, brand, newestVersionNo, audience, format }: PageVersion,
): Promise<{ view: PassportView; story: PageStory | undefined }> {
  const { sql, addresses } = setup
  const isNewest = row.version_no === newestVersionNo
  const [{ history, pending, files }, offers, story, life] = await Promise.all([
    readDetails(setup, row),
    brand.offersVersion === 0 ? undefined : readOffersOf(sql, row),
    brand.hasStory && format === HTML ? readStory(sql, addresses, row) : undefined,
    isNewest && format === HTML ? readLife(sql, row, audience) : null,
  ])
  const sorted = offers === undefined ? undefined : sortByNearness(offers, row)
  const view = buildPassportView(
    addresses,
    row,
    history,
    audience,
    newestVersionNo,
    pending,
    sorted,
    files,
    life,
  )
  return { view, story }
}

/** The page shows so many; `/p/{id}/events` has all. */
const MAX_EVENTS = 20

async function readLife(sql: Sql, row: PublicPassportRow, audience: Audience): Promise<PageLife | null> {
  const head = parseLife(row.life)
  if (head === null || (audience === 'public' && head.public_events === 0)) return null
  const { events, next } = await readEventsFor(sql, row, { audience, limit: MAX_EVENTS })
  if (events.length === 0) return null
  return { state: getLifeState(head, audience), events, hasMore: next !== undefined }
}

const details = new WeakMap<PublicPassportRow, ReturnType<typeof queryDetails>>()

/** Requests that shared the look-up of a passport, such as those for its languages, share these, too. */
function readDetails(setup: ReadSetup, row: PublicPassportRow): ReturnType<typeof queryDetails> {
  const known = details.get(row) ?? queryDetails(setup, row)
  details.set(row, known)
  return known
}

async function queryDetails({ sql, addresses }: ReadSetup, row: PublicPassportRow) {
  const [history, pending, files] = await Promise.all([
    readPublicHistory(sql, row),
    row.outdated ? readPendingCorrection(sql, row) : undefined,
    findPassportFiles(sql, addresses, row),
  ])
  return { history, pending, files }
}
