/** Which field a column of somebody's sheet is: a guess to be confirmed, and what was confirmed before. */
import type { AccountContext } from '../accounts/context.ts'
import type { CompleteCategory } from '../categories/catalogue.ts'
import { canonicalLanguage } from '../categories/language.ts'
import { findNearestName } from '../categories/nearest-name.ts'
import { fieldWords, spokenKey } from '../categories/spoken.ts'
import { findColumn } from './columns.ts'

/** For each column of the sheet the name of ours, or null for one that is left out. */
export type Mapping = readonly (string | null)[]

/** Columns that our own files have for people alone. */
export const TOLD_COLUMNS = ['passport_url', 'what_is_wrong'] as const

/** Guesses every column; a field is given to the first column that seems to be it. */
export function guessMapping(
  category: CompleteCategory,
  header: readonly string[],
  remembered: ReadonlyMap<string, string | null> = new Map(),
): Mapping {
  const taken = new Set<string>()
  const take = (name: string | undefined) => {
    if (name === undefined || taken.has(name)) return undefined
    taken.add(name)
    return name
  }
  // What is certain goes first, so that a near miss cannot take a column's place.
  const certain = header.map(title => {
    const known = remembered.get(headerKey(title))
    if (known === null) return null
    const fits = known !== undefined && findColumn(category, known) !== undefined
    return take(fits ? known : findColumn(category, title.trim())?.name)
  })
  const spoken = header.map((title, place) =>
    certain[place] === undefined && !isTold(title) ? take(spokenColumn(category, title)) : certain[place],
  )
  return header.map((title, place) =>
    spoken[place] === undefined && !isTold(title)
      ? (take(nearColumn(category, title)) ?? null)
      : (spoken[place] ?? null),
  )
}

const isTold = (title: string) => TOLD_COLUMNS.some(one => one === title.trim())

/** How a title is remembered. */
export const headerKey = (title: string): string => title.normalize('NFKC').trim().toLowerCase().slice(0, 200)

/** "Pflegehinweise (de)", "Faser 2", "Kontakt-E-Mail" and the like. */
function spokenColumn(category: CompleteCategory, title: string): string | undefined {
  const words = fieldWords(category)
  for (const { text, entry, language } of readings(title)) {
    const paths = words.get(spokenKey(text)) ?? []
    const names = paths
      .map(path => placed(category, path, entry, language))
      .filter(name => name !== undefined)
    // A name of two fields says nothing, unless one of them stands at the top.
    const [first] = names
    if (names.length === 1 || (first !== undefined && !first.includes('.') && names.length > 1)) return first
  }
  return undefined
}

function nearColumn(category: CompleteCategory, title: string): string | undefined {
  const paths = [...new Set([...fieldWords(category).values()].flat())]
  for (const { text, entry, language } of readings(title)) {
    const path = findNearestName(
      text.replaceAll(/[.\s]/g, ''),
      paths.map(one => one.replaceAll('.', '')),
    )
    const whole = paths.find(one => one.replaceAll('.', '') === path)
    const name = whole === undefined ? undefined : placed(category, whole, entry, language)
    if (name !== undefined) return name
  }
  return undefined
}

type TitleReading = { text: string; entry: number | undefined; language: string | undefined }

const LONGEST_TITLE = 200

/** What a title may say: all of it is a name, or a language or a number is told at its end. */
function readings(title: string): TitleReading[] {
  const text = title.slice(0, LONGEST_TITLE).trim()
  const all: TitleReading[] = [{ text, entry: undefined, language: undefined }]
  const [, before = '', tag = ''] =
    /^(.*\S)[\s._:([-]+([A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})?)[)\]]?$/su.exec(text) ?? []
  const language = tag === '' ? undefined : canonicalLanguage(tag)
  if (language !== undefined) all.push({ text: before, entry: undefined, language })
  const [, name = '', number = ''] = /^(.*?[^\s\d([_-])[\s([_-]*(\d{1,3})[)\]]?$/su.exec(text) ?? []
  if (number !== '' && number !== '0') all.push({ text: name, entry: Number(number), language: undefined })
  const [, list = '', at = '', member = ''] =
    /^(.*\S)[\s([_]*(\d{1,3})[)\]]?[\s._:-]+(\D+)$/su.exec(text) ?? []
  if (at !== '' && at !== '0') all.push({ text: `${list} ${member}`, entry: Number(at), language: undefined })
  return all
}

/** A path of the field table as a column: lists get their entry, the first if none is told. */
function placed(
  category: CompleteCategory,
  path: string,
  entry: number | undefined,
  language: string | undefined,
): string | undefined {
  const parts = path.split('.')
  const tail = language === undefined ? '' : `.${language}`
  const plain = entry === undefined ? findColumn(category, path + tail)?.name : undefined
  if (plain !== undefined) return plain
  const inList = `${parts[0]}[${entry ?? 1}].${parts.slice(1).join('.')}${tail}`
  return parts.length > 1 ? findColumn(category, inList)?.name : undefined
}

/** What people of this account chose for the titles of earlier sheets. */
export async function rememberedMapping(
  { sql, accountId }: AccountContext,
  category: string,
): Promise<ReadonlyMap<string, string | null>> {
  const [row] = await sql<{ columns: string }[]>`
    select columns::text from sheet_mapping where account_id = ${accountId} and category = ${category}`
  return new Map(Object.entries(JSON.parse(row?.columns ?? '{}') as Record<string, string | null>))
}

/** Which sheet of their workbooks they last chose. */
export async function rememberedSheet(
  { sql, accountId }: AccountContext,
  category: string,
): Promise<string | null> {
  const [row] = await sql<{ sheet: string | null }[]>`
    select sheet from sheet_mapping where account_id = ${accountId} and category = ${category}`
  return row?.sheet ?? null
}

/** Titles remembered for a category; the oldest are forgotten beyond this. */
const MOST_REMEMBERED = 2_000

/** Keeps what was chosen; titles that this sheet does not have stay as they were. `sheet` where there was a choice. */
export async function rememberMapping(
  ctx: AccountContext,
  { category, header, sheet }: { category: string; header: readonly string[]; sheet: string | null },
  mapping: Mapping,
): Promise<void> {
  const known = new Map(await rememberedMapping(ctx, category))
  for (const [place, title] of header.entries()) {
    const key = headerKey(title)
    if (key === '') continue
    known.delete(key)
    known.set(key, mapping[place] ?? null)
  }
  const columns = JSON.stringify(Object.fromEntries([...known].slice(-MOST_REMEMBERED)))
  await ctx.sql`
    insert into sheet_mapping as m (account_id, category, columns, sheet)
    values (${ctx.accountId}, ${category}, ${columns}::text::json, ${sheet})
    on conflict (account_id, category) do update set columns = excluded.columns, sheet = coalesce(excluded.sheet, m.sheet)`
}
