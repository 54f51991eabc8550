/** The frame of the console's pages, and their headers: no foreign content, no caching. */
import { html } from 'ghtml'
import type { Session } from '../../accounts/people/sessions.ts'
import { getTextDirection } from '../../i18n/direction-marks.ts'
import { PERMISSIONS_POLICY } from '../../kernel/http/default-headers.ts'
import { moduleHref, STYLE_HREF, styleHref } from './assets.ts'
import { type ConsolePage, HOME, type Words } from './route.ts'
import type { Texts } from './texts.ts'

const policy = (scripts: boolean) =>
  [
    "default-src 'none'",
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * `Referrer-Policy: same-origin`: under `no-referrer`, browsers send `Origin: null` with our own forms
 * (Fetch, "append a request Origin header"), so they would look like another site's forms.
 */
export const consoleHeaders = (page: { scripts: boolean } = { scripts: false }): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy(page.scripts),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'permissions-policy': PERMISSIONS_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex',
})

const PLACES = [
  { path: HOME, key: 'overview' },
  { path: '/console/products', key: 'products', also: ['/console/drafts', '/console/media'] },
  { path: '/console/readiness', key: 'readiness' },
  { path: '/console/scans', key: 'scans' },
  { path: '/console/import', key: 'import', also: ['/console/export'] },
  { path: '/console/developer', key: 'developer', also: ['/console/keys', '/console/webhooks'] },
  { path: '/console/settings', key: 'settings', also: ['/console/registry'] },
] as const satisfies readonly { path: string; key: keyof Texts['page']['places']; also?: readonly string[] }[]

/** The whole document. `path` is the page's own, which the navigation marks as current. */
export function shell(frame: {
  words: Words
  session: Session | undefined
  path: string
  page: ConsolePage
}): string {
  const { words, session, path, page } = frame
  const { language } = words
  const { page: texts } = words.texts
  const scripts = (page.scripts ?? []).map(
    name => html`<script type="module" src="${moduleHref(name)}"></script>`,
  )
  const styles = (page.styles ?? []).map(name => html`<link rel="stylesheet" href="${styleHref(name)}">`)
  return html`<!doctype html>
<html lang="${language}" dir="${getTextDirection(language)}"><head><meta charset="utf-8">
<title>${page.title} · ${texts.brand}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${STYLE_HREF}">!${styles}!${scripts}</head>
<body!${frameOf(page, session)}><a class="skip" href="#main">${texts.skip}</a>
<header class="top"><a class="brand" href="${HOME}">${texts.brand}</a>!${session ? navigation(words, path) : ''}</header>
<main id="main" tabindex="-1">!${session?.account.closedAt ? html`<p class="reach">${texts.accountClosed}</p>` : ''}!${page.body}</main>
!${session ? footer(words, session) : ''}</body></html>
`
}

/** The header has one position on all pages of a signed-in person, however wide the page is below it. */
const frameOf = ({ isWide = false }: ConsolePage, session: Session | undefined) =>
  isWide ? ' class="wide"' : session === undefined ? '' : ' class="wide narrow-main"'

function navigation({ texts }: Words, path: string): string {
  const links = PLACES.map(place => {
    const own = 'also' in place ? [place.path, ...place.also] : [place.path]
    const isHere = own.some(one => one === path || (one !== HOME && path.startsWith(`${one}/`)))
    return html`<a href="${place.path}"!${isHere ? ' aria-current="page"' : ''}>${texts.page.places[place.key]}</a>`
  })
  return html`<nav aria-label="${texts.page.navigation}">!${links}</nav>
<form method="post" action="/console/sign-out"><button class="plain">${texts.page.signOut}</button></form>`
}

const footer = ({ texts }: Words, { email, role }: Session) =>
  html`<footer>${texts.page.signedInAs({ email, role: texts.roles[role] })}</footer>`
