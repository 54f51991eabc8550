/** The frame of every page of this door: one style sheet, inlined and named by its digest in the policy; no script, no font, nothing from elsewhere. */
import { html } from 'ghtml'
import { getTextDirection, stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { defaultHeaders } from '../../kernel/http/default-headers.ts'
import type { Headers } from '../http/prepared-response.ts'
import { DEFAULT_THEME, type Theme } from './theme.ts'

export const HTML_MEDIA_TYPES = ['text/html', 'application/xhtml+xml'] as const

const DENIED_FEATURES = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'usb',
  'browsing-topics',
]

/** What every answer of this door carries, whatever it holds; ready ones are sent past the framework and its headers. */
export function securityHeaders(publicUrl: string): Headers {
  return {
    ...defaultHeaders(publicUrl),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': DENIED_FEATURES.map(feature => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** The headers of an HTML page; of one that shows no passport unless told otherwise. */
export const htmlHeaders = (publicUrl: string, dress: Theme = DEFAULT_THEME): Headers => ({
  'content-type': 'text/html; charset=utf-8',
  ...securityHeaders(publicUrl),
  'content-security-policy': dress.policy,
})

/** A whole document. `head` and `body` are ready HTML; `isIndexed` false asks search engines to leave it out. */
export function renderDocument(page: {
  language: string
  title: string
  head?: string
  body: string
  isIndexed: boolean
  dress?: Theme
}): string {
  const robots = page.isIndexed ? '' : '<meta name="robots" content="noindex">'
  return html`<!doctype html>
<html lang="${page.language}" dir="${getTextDirection(page.language)}"><head><meta charset="utf-8">
<title>${stripDirectionMarks(page.title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
!${robots}!${page.head ?? ''}
<style>!${(page.dress ?? DEFAULT_THEME).style}</style></head>
<body>!${page.body}</body></html>
`
}
