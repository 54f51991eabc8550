/** The frame of every page of this door: one style sheet, inlined and named by its digest in the policy; no script, no font, nothing from elsewhere. */
import { html } from 'ghtml'
import { getTextDirection, stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { defaultHeaders } from '../../kernel/http/default-headers.ts'
import type { Headers } from '../http/ready-answer.ts'
import { type Dress, NO_PASSPORT } from './theme.ts'

const DENIED = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics']

/** What every answer of this door carries, whatever it holds; ready ones are sent past the framework and its headers. */
export function safetyHeaders(publicUrl: string): Headers {
  return {
    ...defaultHeaders(publicUrl),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': DENIED.map(feature => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** The headers of an HTML page; of one that shows no passport unless told otherwise. */
export const pageHeaders = (publicUrl: string, dress: Dress = NO_PASSPORT): Headers => ({
  'content-type': 'text/html; charset=utf-8',
  ...safetyHeaders(publicUrl),
  'content-security-policy': dress.policy,
})

/** A whole document. `head` and `body` are ready HTML; `isIndexed` false asks search engines to leave it out. */
export function document(page: {
  language: string
  title: string
  head?: string
  body: string
  isIndexed: boolean
  dress?: Dress
}): string {
  const robots = page.isIndexed ? '' : '<meta name="robots" content="noindex">'
  return html`<!doctype html>
<html lang="${page.language}" dir="${getTextDirection(page.language)}"><head><meta charset="utf-8">
<title>${stripDirectionMarks(page.title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
!${robots}!${page.head ?? ''}
<style>!${(page.dress ?? NO_PASSPORT).style}</style></head>
<body>!${page.body}</body></html>
`
}
