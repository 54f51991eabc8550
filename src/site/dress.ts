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

const STYLE = compactCss(readFileSync(new URL('../../assets/passport.css', import.meta.url), 'utf8'))

const MOST_REMEMBERED = 500
const remembered = new Map<string, Dress>()

/** For a page of no account, and of one that has set nothing. */
export const PLAIN = make({ accent: null, frameAncestors: [] })

/** Made once per brand: a digest of 10 kB takes as long as a tenth of a page. */
export function dressOf({ accent, frameAncestors }: Pick<Brand, 'accent' | 'frameAncestors'>): Dress {
  if (accent === null && frameAncestors.length === 0) return PLAIN
  const key = `${accent} ${frameAncestors.join(' ')}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const dress = make({ accent, frameAncestors })
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(key, dress)
  return dress
}

function make({ accent, frameAncestors }: Pick<Brand, 'accent' | 'frameAncestors'>): Dress {
  const style = accent === null ? STYLE : STYLE + accentRules(accent)
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
