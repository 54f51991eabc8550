/** The HTML document of every page: one inlined style sheet, no script, no font, no external resource. */
import { html } from 'ghtml'
import { getTextDirection, stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { defaultHeaders, PERMISSIONS_POLICY } from '../../kernel/http/default-headers.ts'
import type { Headers } from '../http/prepared-response.ts'
import { DEFAULT_THEME, type Theme } from './theme.ts'

export const HTML_MEDIA_TYPES = ['text/html', 'application/xhtml+xml'] as const

/** Headers of every response. Prepared responses bypass Fastify, so they must contain them themselves. */
export function buildSecurityHeaders(publicUrl: string): Headers {
  return {
    ...defaultHeaders(publicUrl),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': PERMISSIONS_POLICY,
  }
}

export const buildHtmlHeaders = (publicUrl: string, theme: Theme = DEFAULT_THEME): Headers => ({
  'content-type': 'text/html; charset=utf-8',
  ...buildSecurityHeaders(publicUrl),
  'content-security-policy': theme.policy,
})

/** `head` and `body` are ready HTML. `isIndexable: false` asks search engines not to list the page. */
export function renderDocument(page: {
  language: string
  title: string
  head?: string
  body: string
  isIndexable: boolean
  theme?: Theme
}): string {
  const robots = page.isIndexable ? '' : '<meta name="robots" content="noindex">'
  return html`<!doctype html>
<html lang="${page.language}" dir="${getTextDirection(page.language)}"><head><meta charset="utf-8">
<title>${stripDirectionMarks(page.title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
!${robots}!${page.head ?? ''}
<style>!${(page.theme ?? DEFAULT_THEME).style}</style></head>
<body>!${page.body}</body></html>
`
}
