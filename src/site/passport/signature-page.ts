/** `/p/{id}/signature`: says for whom a passport is signed, and how to check that. */
import type { FastifyReply } from 'fastify'
import { html } from 'ghtml'
import { type Brand, getCachedBrand } from '../../accounts/brand/brand.ts'
import { canDecryptKey } from '../../accounts/issuer/issuer.ts'
import { getLabels } from '../../i18n/catalogue.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { getServiceName, passportUrl } from '../../passports/core/record.ts'
import { getIssuerUrl } from '../../passports/documents/issuer-document.ts'
import { buildReading } from '../../passports/read/build-reading.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'
import { readPublicPassport } from '../../passports/read/public-passport.ts'
import { readPublicVersion } from '../../passports/read/public-version.ts'
import { prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { describeSigner } from '../page/page-context.ts'
import { buildHtmlHeaders, renderDocument } from '../page/shell.ts'
import { renderAddress, renderLabelled } from '../page/values.ts'
import { sendLinkToPassport } from './errors.ts'
import { prefersHtml } from './formats.ts'
import { negotiatePageLanguage } from './languages.ts'
import { parseVersion } from './passport-request.ts'

/** Throws `not_found`, `rate_limited`. Signs nothing. */
export async function sendSignaturePage(setup: SiteContext, reply: FastifyReply): Promise<unknown> {
  const { id = '' } = getPathParameters(reply.request)
  if (parseId(id) === undefined) throw notFound('passport')
  return setup.uncachedLimit.run(reply, () => createPage(setup, reply, id))
}

async function createPage(setup: SiteContext, reply: FastifyReply, id: string): Promise<unknown> {
  const { sql, clock, addresses } = setup
  const { headers } = reply.request.raw
  const query = getQuery(reply.request)
  const row = await readPublicPassport(sql, id, clock.now())
  if (row === undefined) throw notFound('passport')
  const brand = await getCachedBrand(sql, row.account_id, clock.now())
  const version = await readPublicVersion(sql, row, parseVersion(query) ?? row.version_no)
  const keysUrl = findKeysUrl(setup, row, brand)
  if (version === undefined || keysUrl === undefined) {
    if (!prefersHtml(headers.accept)) throw notFound(version === undefined ? 'version' : 'signature')
    return sendLinkToPassport(addresses.publicUrl, reply, 404, passportUrl(addresses, id))
  }
  const reading = buildReading(addresses, version, 'public')
  const language = negotiatePageLanguage(headers, query, reading.primaryLanguage)
  const labels = getLabels(language)
  const { ui } = labels
  const url = passportUrl(addresses, id)
  const legalName = brand.signer?.legalName ?? null
  const title = describeSigner(ui, { legalName, service: getServiceName(addresses) })
  const versionQuery = version.version_no === row.version_no ? '' : `&version=${version.version_no}`
  const documentUrl = `${url}?format=en${versionQuery}`
  const link = (to: string) => html`<a href="${to}">!${renderAddress(to)}</a>`
  const body = html`<main id="content" class="notice-page"><p class="kind"><span>${ui.passport}</span></p><h1>${title}</h1>
<p>${ui[legalName === null ? 'signature.meaningNotVerified' : 'signature.meaning']}</p><p>${ui['signature.check']}</p><p><code>carnet verify passport.json <span class="n">--did did.json</span></code></p>
<p>!${renderLabelled({ labels }, html`${ui['signature.data']}`, link(documentUrl))}</p><p>!${renderLabelled({ labels }, html`${ui['signature.keys']}`, link(keysUrl))}</p>
<p><a href="${url}">${ui['missing.link']}</a></p></main>`
  const response = prepareResponse({
    body: renderDocument({ language, title, isIndexable: false, body }),
    etagPrefix: `signature.${language}`,
    headers: {
      ...buildHtmlHeaders(addresses.publicUrl),
      'content-language': language,
      'x-robots-tag': 'noindex',
      'cache-control': 'public, max-age=60',
      vary: 'Accept-Language, Accept-Encoding',
    },
  })
  return sendPrepared(reply, response)
}

/** Undefined unless this server can sign for the account. */
const findKeysUrl = (
  { secretCipher, addresses }: SiteContext,
  { account_id }: PublicPassportRow,
  { signer }: Brand,
): string | undefined =>
  signer !== null && canDecryptKey(secretCipher, account_id, signer)
    ? getIssuerUrl(addresses, signer.name)
    : undefined
