/** Builds a page's style sheet and Content-Security-Policy from its account's brand. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildAccent } from '../../accounts/brand/accent.ts'
import { type Brand, NO_BRAND } from '../../accounts/brand/brand.ts'
import { compactCss } from '../../kernel/text/compact-css.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

export type Theme = {
  /** Must be inlined unchanged, because the policy contains its digest. */
  style: string
  /** The value of Content-Security-Policy. */
  policy: string
}

const readStyleSheet = (name: string) =>
  readFileSync(new URL(`../../../assets/${name}.css`, import.meta.url), 'utf8')

/**
 * A part of the style sheet. Only pages whose HTML contains `marker` get it; parts without a marker are in
 * all pages.
 */
type StylePart = { marker: string | undefined; css: string }

/** Pages get only the parts they use: the styles of one figure can be a tenth of a page of 8 kB. */
const STYLE_PARTS: readonly StylePart[] = readStyleSheet('passport')
  .split(/^\/\* (?=only with |always \*\/)/m)
  .map(text => {
    const [, marker] = /^only with (.*?) \*\/$/m.exec(text) ?? []
    return { marker, css: compactCss(text.replace(/^(?:only with .*?|always) \*\//, '')) }
  })

const MARKERS = STYLE_PARTS.flatMap(({ marker }) => marker ?? [])

const joinParts = (markers: readonly string[]) =>
  STYLE_PARTS.filter(({ marker }) => marker === undefined || markers.includes(marker))
    .map(({ css }) => css)
    .join('')

const themes = new BoundedMap<string, Theme>(500)

/** For pages without an account, such as errors. */
export const DEFAULT_THEME = createTheme(joinParts([]) + compactCss(readStyleSheet('site-pages')), NO_BRAND)

/**
 * `more`: further rules. Cached by brand and parts: the digest of 10 kB takes a tenth of the time of
 * rendering a page.
 */
export function buildTheme(brand: BrandStyle, page: string, more = ''): Theme {
  const markers = MARKERS.filter(marker => page.includes(marker))
  const key = `${brand.accent} ${brand.frameAncestors.join(' ')} ${markers}${more}`
  return themes.getOrMake(key, () => createTheme(joinParts(markers) + more, brand))
}

type BrandStyle = Pick<Brand, 'accent' | 'frameAncestors'>

function createTheme(styleSheet: string, { accent, frameAncestors }: BrandStyle): Theme {
  const style = accent === null ? styleSheet : styleSheet + renderAccentRules(accent)
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

/** Print uses the light accent, whichever one the screen uses. */
function renderAccentRules(accent: string): string {
  const { light, dark } = buildAccent(accent)
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`
}
