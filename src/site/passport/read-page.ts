/** Reads what the page of one version shows besides its row. */
import type { Brand } from '../../accounts/brand/brand.ts'
import type { Audience } from '../../categories/field.ts'
import { readOffersOf, sortByNearness } from '../../passports/offers/read-offers.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { findPassportFiles } from '../../passports/read/picture-files.ts'
import { readPublicHistory } from '../../passports/read/public-version.ts'
import { type PageStory, readStory } from '../../passports/story/read-story.ts'
import { readPendingCorrection } from '../../passports/units/pending-correction.ts'
import type { SiteSetup } from '../http/setup.ts'
import { buildPassportView, type PassportView } from '../page/passport-view.ts'
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
  const [{ history, pending, files }, offers, story] = await Promise.all([
    readDetails(setup, row),
    brand.offersVersion === 0 ? undefined : readOffersOf(sql, row),
    brand.hasStory && format === HTML ? readStory(sql, addresses, row) : undefined,
  ])
  const sorted = offers === undefined ? undefined : sortByNearness(offers, row)
  const view = buildPassportView(addresses, row, history, audience, newestVersionNo, pending, sorted, files)
  return { view, story }
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
