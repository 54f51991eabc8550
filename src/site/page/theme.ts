/** What an account's brand changes about the frame of a page: the accent in its one style sheet, and so the sheet's digest in the policy, and who may frame it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildAccent } from '../../accounts/brand/accent.ts'
import { type Brand, NO_BRAND } from '../../accounts/brand/brand.ts'
import { compactCss } from '../../kernel/text/compact-css.ts'

export type Theme = {
  /** The style sheet, to be inlined as it is. */
  style: string
  /** The value of Content-Security-Policy. */
  policy: string
}

const readStyleSheet = (name: string) =>
  readFileSync(new URL(`../../../assets/${name}.css`, import.meta.url), 'utf8')

/** A stretch of the sheet; `marker` is what a page must have in it to get it, undefined for the rest. */
type StylePart = { marker: string | undefined; css: string }

/** Figures that few pages have are a tenth of the sheet each, and of a page within its 8 kB. */
const STYLE_PARTS: readonly StylePart[] = readStyleSheet('passport')
  .split(/^\/\* (?=only with |always \*\/)/m)
  .map(text => {
    const [, marker] = /^only with (.*?) \*\/$/m.exec(text) ?? []
    return { marker, css: compactCss(text.replace(/^(?:only with .*?|always) \*\//, '')) }
  })

const MARKERS = STYLE_PARTS.flatMap(({ marker }) => marker ?? [])

/** Compacted; `marks` are the markers that the page has. */
const joinParts = (marks: readonly string[]) =>
  STYLE_PARTS.filter(({ marker }) => marker === undefined || marks.includes(marker))
    .map(({ css }) => css)
    .join('')

const MAX_CACHED = 500
const cache = new Map<string, Theme>()

/** For a page that shows no passport, and so is of no account. */
export const DEFAULT_THEME = createTheme(joinParts([]) + compactCss(readStyleSheet('site-pages')), NO_BRAND)

/** `page` is its HTML, with or without the sheet. Made once per brand and figures: a digest of 10 kB takes as long as a tenth of a page. */
export function buildTheme(brand: BrandStyle, page: string): Theme {
  const marks = MARKERS.filter(marker => page.includes(marker))
  const key = `${brand.accent} ${brand.frameAncestors.join(' ')} ${marks}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const dress = createTheme(joinParts(marks), brand)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, dress)
  return dress
}

type BrandStyle = Pick<Brand, 'accent' | 'frameAncestors'>

function createTheme(sheets: string, { accent, frameAncestors }: BrandStyle): Theme {
  const style = accent === null ? sheets : sheets + accentRules(accent)
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ')
  return { style, policy }
}

/** Paper is light, whatever the screen was. */
function accentRules(accent: string): string {
  const { light, dark } = buildAccent(accent)
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`
}
