/** The frame of every page of this door: one style sheet, inlined and named by its digest in the policy; no script, no font, nothing from elsewhere. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html } from 'ghtml'
import type { Headers } from './ready-answer.ts'

const STYLE = compact(readFileSync(new URL('../../assets/passport.css', import.meta.url), 'utf8'))

/** Comments, line ends and the spaces round punctuation; a string with those in it must not stand in the file. */
function compact(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .trim()
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const DENIED = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics']
const YEAR_SECONDS = 31_536_000

/** What every answer of this door carries, whatever it holds. */
export function safetyHeaders(publicUrl: string): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': DENIED.map(feature => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
  }
}

/** The headers of an HTML page. */
export const pageHeaders = (publicUrl: string): Headers => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  ...safetyHeaders(publicUrl),
})

/** Left-to-right and right-to-left marks, embeddings, overrides and isolates: a title has no element to end them. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A whole document. `head` and `body` are ready HTML; `isIndexed` false asks search engines to leave it out. */
export function document(page: {
  language: string
  title: string
  head?: string
  body: string
  isIndexed: boolean
}): string {
  const robots = page.isIndexed ? '' : '<meta name="robots" content="noindex">'
  return html`<!doctype html>
<html lang="${page.language}"><head><meta charset="utf-8">
<title>${page.title.replace(DIRECTION_MARKS, '')}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">!${robots}!${page.head ?? ''}
<style>!${STYLE}</style></head>
<body>!${page.body}</body></html>
`
}
