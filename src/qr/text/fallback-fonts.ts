/** Finds the font for each character that a label prints, and loads only the files that a text needs. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Blob, Face, Font, Variation } from 'harfbuzzjs'
import decompress from 'woff2-encoder/decompress'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import type { Weight } from './line-height.ts'

export type LoadedFont = { font: Font; unitsPerEm: number }

/** A file that has the characters of `ranges`. */
type FontFile = { path: string; ranges: readonly (readonly [first: number, last: number])[] }
type Family = { files: readonly FontFile[] }

/** Loaded files, of 30 to 500 KB each. */
const MAX_LOADED = 64

const { resolve } = createRequire(import.meta.url)
const ALL_RANGES = [[0, 0x10ffff]] as const
const dejaVu = (name: string): Family => ({
  files: [{ path: resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`), ranges: ALL_RANGES }],
})
const BASIC = { 400: dejaVu('DejaVuSansCondensed'), 700: dejaVu('DejaVuSansCondensed-Bold') } as const

const SCRIPTS = ['sans-arabic', 'sans-hebrew', 'sans-devanagari', 'sans-thai'] as const
export const EAST_ASIAN = ['sans-jp', 'sans-kr', 'sans-sc', 'sans-tc'] as const
type Name = (typeof SCRIPTS)[number] | (typeof EAST_ASIAN)[number] | 'emoji'

const families = new Map<Name, Family>()

function getFamily(name: Name): Family {
  const known = families.get(name)
  if (known !== undefined) return known
  const text = readFileSync(resolve(`@fontsource-variable/noto-${name}/unicode.json`), 'utf8')
  const subsets: Record<string, string> = JSON.parse(text)
  const files = Object.entries(subsets).map(([subset, ranges]) => ({
    path: resolve(
      `@fontsource-variable/noto-${name}/files/noto-${name}-${subset.replace(/[[\]]/g, '')}-wght-normal.woff2`,
    ),
    ranges: parseRanges(ranges),
  }))
  const family = { files }
  families.set(name, family)
  return family
}

const parseRanges = (ranges: string) =>
  ranges.split(',').map(range => {
    const [first = '', last = first] = range.trim().slice(2).split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })

/**
 * The same ideograph looks different in China, Japan, Korea and Taiwan. The text's own letters tell which is
 * meant, otherwise its language.
 */
export function orderEastAsianFonts(text: string, language: string): readonly Name[] {
  const { script, region } = getLikelyLocale(language)
  const first: Name = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? 'sans-jp'
    : /\p{Script=Hangul}/u.test(text)
      ? 'sans-kr'
      : script === 'Jpan'
        ? 'sans-jp'
        : script === 'Kore'
          ? 'sans-kr'
          : script === 'Hant' || region === 'TW' || region === 'HK'
            ? 'sans-tc'
            : 'sans-sc'
  return [first, ...EAST_ASIAN.filter(name => name !== first)]
}

function getLikelyLocale(language: string): { script?: string | undefined; region?: string | undefined } {
  try {
    return new Intl.Locale(language).maximize()
  } catch {
    // Texts may be stored under tags that are no languages.
    return {}
  }
}

const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u
const PICTURE = /\p{Emoji_Presentation}|\uFE0F/u
/** Characters that choose or join glyphs and have none. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

/** Returns the font that has all characters of a grapheme; undefined if no font has them. */
export async function findFont(
  grapheme: string,
  { eastAsian, weight }: { eastAsian: readonly Name[]; weight: Weight },
): Promise<LoadedFont | undefined> {
  const needed = [...grapheme].filter(one => !INVISIBLE.test(one)).map(one => one.codePointAt(0) ?? 0)
  const basic = BASIC[weight]
  const others = [...SCRIPTS, ...eastAsian, 'emoji' as const].map(name => () => getFamily(name))
  const special = RIGHT_TO_LEFT.test(grapheme)
    ? SCRIPTS.map(name => () => getFamily(name))
    : PICTURE.test(grapheme)
      ? [() => getFamily('emoji')]
      : []
  for (const get of [...special, () => basic, ...others]) {
    for (const file of get().files) {
      if (!needed.every(code => isInRanges(file, code))) continue
      const loaded = await loadFont(file.path, weight)
      if (needed.every(code => loaded.font.nominalGlyph(code) !== undefined)) return loaded
    }
  }
  return undefined
}

const isInRanges = ({ ranges }: FontFile, code: number) =>
  ranges.some(([first, last]) => code >= first && code <= last)

const loadedFonts = new BoundedMap<string, Promise<LoadedFont>>(MAX_LOADED)

const loadFont = (path: string, weight: Weight): Promise<LoadedFont> =>
  loadedFonts.getOrMake(`${weight} ${path}`, async () => {
    const file = readFileSync(path)
    const bytes = path.endsWith('.woff2') ? await decompress(file) : file
    const face = new Face(new Blob(new Uint8Array(bytes).buffer))
    const font = new Font(face)
    font.setVariations([new Variation('wght', weight)])
    return { font, unitsPerEm: face.upem }
  })
