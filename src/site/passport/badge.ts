/** `/p/{id}/badge.svg`: a sign for a shop's page that the product has a passport. It names no person. */

import type { FastifyReply } from 'fastify'
import { html } from 'ghtml'
import { fillPlaceholders, getLabels, type Language } from '../../i18n/catalogue.ts'
import { formatDate } from '../../i18n/format.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { LEVEL_NAME } from '../../passports/core/record.ts'
import {
  findCachedMetadata,
  type PublicMetadata,
  readPublicPassport,
} from '../../passports/read/public-passport.ts'
import { readPublicHistory } from '../../passports/read/public-version.ts'
import { SVG_HEADERS } from '../../qr/svg.ts'
import { prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { negotiatePageLanguage } from './languages.ts'

/** Throws `not_found`, `rate_limited`. */
export async function sendBadge(setup: SiteContext, reply: FastifyReply): Promise<unknown> {
  const { id = '' } = getPathParameters(reply.request)
  if (parseId(id) === undefined) throw notFound('passport')
  return setup.uncachedLimit.run(reply, () => createBadge(setup, reply, id))
}

async function createBadge({ sql, clock, addresses }: SiteContext, reply: FastifyReply, id: string) {
  const now = clock.now()
  const row = findCachedMetadata(sql, id, now) ?? (await readPublicPassport(sql, id, now))
  if (row === undefined) throw notFound('passport')
  const { versions } = await readPublicHistory(sql, row)
  const language = negotiatePageLanguage(reply.request.raw.headers, getQuery(reply.request), 'en')
  const badge = prepareResponse({
    body: renderBadge(language, row, versions[0]?.at ?? row.updated_at),
    etagPrefix: `badge.v${row.version_no}.${language}`,
    headers: {
      ...buildSecurityHeaders(addresses.publicUrl),
      ...SVG_HEADERS,
      'content-language': language,
      // Shops show it, also those that embed nothing without this (HTML, Cross-Origin-Embedder-Policy).
      'cross-origin-resource-policy': 'cross-origin',
      // Shops show it for so long after a recall.
      'cache-control': 'public, max-age=300',
      vary: 'Accept-Encoding, Accept-Language',
    },
  })
  return sendPrepared(reply, badge)
}

type BadgeRow = Pick<PublicMetadata, 'level' | 'status' | 'recall_state'>

function describeState(language: Language, { level, status, recall_state }: BadgeRow, date: Date): string {
  const { ui } = getLabels(language)
  if (recall_state !== null) return ui['recall.title']
  if (status === 'x') return ui['status.archived']
  return `${ui[`level.${LEVEL_NAME[level]}`]} · ${formatDate(language, date.toISOString())}`
}

const HEIGHT = 48
const TEXT_LEFT = 48
/** The widest common letters of the 24 languages, at 14 pixels. */
const CHARACTER_WIDTH = 8
const STYLE =
  'svg{color:#1d1c1a;background:#fdfcfa}text{font:12px system-ui,sans-serif;fill:currentColor}.name{font:600 14px system-ui,sans-serif}@media(prefers-color-scheme:dark){svg{color:#ebe8e1;background:#171614}}'

/** The name, and below it that it is recalled or archived, or else the level and the date of the version. */
function renderBadge(language: Language, row: BadgeRow, date: Date): string {
  const { ui } = getLabels(language)
  const line = describeState(language, row, date)
  const width = TEXT_LEFT + 12 + CHARACTER_WIDTH * Math.max(ui.passport.length, line.length)
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" lang="${language}"><title>${fillPlaceholders(ui.labelled, { label: ui.passport, value: line })}</title><style>!${STYLE}</style>
<g fill="none" stroke="currentColor" stroke-width="1.5"><rect x="0.75" y="0.75" width="${width - 1.5}" height="${HEIGHT - 1.5}"/><path d="M16 12h16v24H16zM20 18h8M20 30h8"/><circle cx="24" cy="24" r="2.5"/></g>
<text class="name" x="${TEXT_LEFT}" y="21">${ui.passport}</text><text x="${TEXT_LEFT}" y="37">${line}</text></svg>
`
}
