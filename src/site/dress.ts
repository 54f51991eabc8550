/** What an account's brand changes about the frame of a page: the accent in its one style sheet, and so the sheet's digest in the policy, and who may frame it. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { accentOn } from '../accounts/accent.ts'
import type { Brand } from '../accounts/brand.ts'
import { compactCss } from '../kernel/compact-css.ts'

export type Dress = {
  /** The style sheet, to be inlined as it is. */
  style: string
  /** The value of Content-Security-Policy. */
  policy: string
}

const sheet = (name: string) =>
  compactCss(readFileSync(new URL(`../../assets/${name}.css`, import.meta.url), 'utf8'))

const STYLE = sheet('passport')

const MOST_REMEMBERED = 500
const remembered = new Map<string, Dress>()

/** For the passports of an account that has set nothing. */
const PLAIN = make(STYLE, { accent: null, frameAncestors: [] })

/** For a page that shows no passport, and so is of no account. */
export const NO_PASSPORT = make(STYLE + sheet('site-pages'), { accent: null, frameAncestors: [] })

/** Made once per brand: a digest of 10 kB takes as long as a tenth of a page. */
export function dressOf({ accent, frameAncestors }: Pick<Brand, 'accent' | 'frameAncestors'>): Dress {
  if (accent === null && frameAncestors.length === 0) return PLAIN
  const key = `${accent} ${frameAncestors.join(' ')}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const dress = make(STYLE, { accent, frameAncestors })
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(key, dress)
  return dress
}

function make(sheets: string, { accent, frameAncestors }: Pick<Brand, 'accent' | 'frameAncestors'>): Dress {
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
  const { light, dark } = accentOn(accent)
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`
}
