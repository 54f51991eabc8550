/** The column `pictures`: ids or addresses of pictures in one cell, with `;` between them. */
import { isDeepStrictEqual } from 'node:util'
import { type DataObject, getOwn, isObject } from '../../../kernel/values/data-object.ts'
import { MEDIA_ID } from '../../../media/files/media-file.ts'
import { type Cell, isEmptyCell, parseCellText } from '../files/cell.ts'
import { type Column, isPicturesColumn, PRIMARY_LANGUAGE } from './columns.ts'

/** One picture of a row: `media` as written, and the texts of columns such as `pictures[2].alt.de`. */
type SentPicture = Record<string, unknown>

/** How what is written in cells becomes an id. */
export type PictureIds = {
  publicUrl: string
  /** The ids of pictures that were fetched, by address. */
  fetched: ReadonlyMap<string, string>
  /** Addresses that could not be fetched: the product is written without them. */
  lost?: ReadonlySet<string>
}

/** Commas and semicolons may also be part of an address. */
const BETWEEN = /\s*(?:\n|[;,|](?=\s|$|https?:\/\/|[0-9a-f]{64}))\s*/i

export const splitPictures = (text: string): string[] =>
  text
    .split(BETWEEN)
    .map(one => one.trim())
    .filter(one => one !== '')

/** The id in one of our own addresses, `/m/{id}/640.jpg` or `/d/{id}`, or the text without a change. */
export function parsePicture(text: string, publicUrl: string | undefined): string {
  const id = text.toLowerCase()
  if (MEDIA_ID.test(id)) return id
  if (publicUrl === undefined || !text.startsWith(`${publicUrl}/`)) return text
  const path = text.slice(publicUrl.length)
  return /^\/(?:m\/([0-9a-f]{64})\/\d+\.\w+|d\/([0-9a-f]{64}))$/.exec(path)?.slice(1).join('') ?? text
}

/**
 * The pictures of a row: those of its cell, each with its texts; only texts, by position, if the cell is
 * empty. Undefined without either.
 */
export function readPictures(
  cells: readonly Cell[],
  columns: readonly (Column | undefined)[],
): SentPicture[] | undefined {
  const pictures: SentPicture[] = []
  for (const [place, column] of columns.entries()) {
    const cell = cells[place] ?? null
    if (column?.path[0] !== 'pictures' || isEmptyCell(cell)) continue
    if (isPicturesColumn(column)) {
      for (const [n, media] of splitPictures(parseCellText(String(cell))).entries())
        pictures[n] = { ...pictures[n], media }
      continue
    }
    const [, n, member = '', language = PRIMARY_LANGUAGE] = column.path
    const entry: SentPicture = pictures[Number(n)] ?? {}
    const texts = isObject(entry[member]) ? entry[member] : {}
    pictures[Number(n)] = {
      ...entry,
      [member]: withText(texts, String(language), parseCellText(String(cell))),
    }
  }
  return pictures.length === 0 ? undefined : Array.from(pictures, one => one ?? {})
}

/** The text in the primary language goes first, so that one whose column names the language replaces it. */
const withText = (texts: DataObject, language: string, text: string): DataObject =>
  language === PRIMARY_LANGUAGE ? { [language]: text, ...texts } : { ...texts, [language]: text }

type PictureDefaults = {
  existing: unknown
  /** The text of a picture without one: the name of the product, in its primary language. */
  name: unknown
  primary: string
  files: PictureIds | undefined
}

/**
 * Completes pictures: one that the product has keeps its texts, another gets the product's name. Without any
 * id, texts are those of the existing pictures, by position. An address that is not known stays. Undefined if
 * none of the pictures could be fetched: then the product keeps what it has.
 */
export function completePictures(sent: unknown, defaults: PictureDefaults): unknown {
  if (!Array.isArray(sent)) return sent
  const existing: readonly unknown[] = Array.isArray(defaults.existing) ? defaults.existing : []
  if (!sent.some(one => isObject(one) && one.media !== undefined)) {
    const length = Math.max(sent.length, existing.length)
    return Array.from({ length }, (_, n) => mergeTexts(existing[n], sent[n]))
  }
  const left = [...existing]
  const isLost = (one: unknown) =>
    isObject(one) && typeof one.media === 'string' && defaults.files?.lost?.has(one.media) === true
  const there = sent.filter(one => !isLost(one))
  if (there.length === 0 && sent.length > 0) return undefined
  return there.map(one => {
    if (!isObject(one) || typeof one.media !== 'string') return one
    const written = parsePicture(one.media, defaults.files?.publicUrl)
    const media = defaults.files?.fetched.get(written) ?? written
    const place = left.findIndex(other => isObject(other) && other.media === media)
    const [known] = place < 0 ? [] : left.splice(place, 1)
    const alt = typeof defaults.name === 'string' ? { alt: { [defaults.primary]: defaults.name } } : {}
    return mergeTexts(known ?? { media, ...alt }, { ...one, media })
  })
}

function mergeTexts(before: unknown, sent: unknown): unknown {
  if (!isObject(before) || !isObject(sent)) return sent ?? before
  const merged: Record<string, unknown> = { ...before, ...sent }
  for (const member of ['alt', 'caption']) {
    const [old, own] = [getOwn(before, member), getOwn(sent, member)]
    if (isObject(old) && isObject(own)) merged[member] = { ...old, ...own }
  }
  return merged
}

/** Returns true if an import would give the picture the same texts without columns for them. */
export function hasDefaultTexts(picture: unknown, { productName, languages }: DataObject): boolean {
  if (!isObject(picture)) return false
  const primary: unknown = Array.isArray(languages) ? languages[0] : undefined
  const { media: _, ...texts } = picture
  return isDeepStrictEqual(texts, { alt: { [String(primary)]: productName } })
}

/** Values of `media` of all pictures, each once. */
function listWritten({ pictures }: DataObject): string[] {
  const all: readonly unknown[] = Array.isArray(pictures) ? pictures : []
  return [...new Set(all.flatMap(one => (isObject(one) && typeof one.media === 'string' ? [one.media] : [])))]
}

/** The addresses in a row's data, and anything else that is not an id. */
export const listPictureSources = (data: DataObject): string[] =>
  listWritten(data).filter(one => !MEDIA_ID.test(one))

export const listPictureIds = (data: DataObject): string[] =>
  listWritten(data).filter(one => MEDIA_ID.test(one))
