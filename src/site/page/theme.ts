/** Builds a page's style sheet and policy from its account's brand: accent colour, who may frame it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildAccent } from '../../accounts/brand/accent.ts'
import { type Brand, NO_BRAND } from '../../accounts/brand/brand.ts'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import { compactCss } from '../../kernel/text/compact-css.ts'

export type Theme = {
  /** To be inlined unchanged: the policy has its digest. */
  style: string
  /** The value of Content-Security-Policy. */
  policy: string
}

const readStyleSheet = (name: string) =>
  readFileSync(new URL(`../../../assets/${name}.css`, import.meta.url), 'utf8')

/** A part of the style sheet. Only pages whose HTML contains `marker` get it; without a marker all do. */
type StylePart = { marker: string | undefined; css: string }

/** A figure that few pages have is a tenth of the style sheet, and of a page of 8 kB. */
const STYLE_PARTS: readonly StylePart[] = readStyleSheet('passport')
  .split(/^\/\* (?=only with |always \*\/)/m)
  .map(text => {
    const [, marker] = /^only with (.*?) \*\/$/m.exec(text) ?? []
    return { marker, css: compactCss(text.replace(/^(?:only with .*?|always) \*\//, '')) }
  })

const MARKERS = STYLE_PARTS.flatMap(({ marker }) => marker ?? [])

const joinParts = (marks: readonly string[]) =>
  STYLE_PARTS.filter(({ marker }) => marker === undefined || marks.includes(marker))
    .map(({ css }) => css)
    .join('')

const themes = new BoundedMap<string, Theme>(500)

/** For pages without a passport, and so without an account. */
export const DEFAULT_THEME = createTheme(joinParts([]) + compactCss(readStyleSheet('site-pages')), NO_BRAND)

/** Cached by brand and parts: the digest of 10 kB takes a tenth of the time of a page. */
export function buildTheme(brand: BrandStyle, page: string): Theme {
  const marks = MARKERS.filter(marker => page.includes(marker))
  const key = `${brand.accent} ${brand.frameAncestors.join(' ')} ${marks}`
  return themes.getOrMake(key, () => createTheme(joinParts(marks), brand))
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

/** Print uses the light accent whatever the screen uses. */
function accentRules(accent: string): string {
  const { light, dark } = buildAccent(accent)
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`
}
