/** What a request to the public door asks for, before any passport is known. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { filterTags, type TranslationLanguages } from '../../categories/pick-text.ts'
import type { Language } from '../../i18n/catalogue.ts'
import { listRequestedLanguages, negotiateLanguage } from '../../i18n/negotiate.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Form, memoize, preferredForm } from '../http/content-negotiation.ts'
import type { SiteSetup } from '../http/setup.ts'

export type Query = Readonly<Record<string, string | string[] | undefined>>

/** `id` is as it stands in the address, not yet known to be one. */
export type PassportRequest = { id: string; form: Form; query: Query; now: Date }

export const formOf = memoize(preferredForm)

const FORMATS: Readonly<Record<string, Form>> = { jsonld: 'jsonld', html: 'html' }

/** `?format=` over `Accept`; the refusal when there is no such format. */
export function parsePassportRequest(setup: SiteSetup, request: FastifyRequest): PassportRequest | AppError {
  const { id = '' } = request.params as { id?: string }
  const query = request.query as Query
  const now = setup.clock.now()
  if (query.format === undefined) return { id, form: formOf(request.raw.headers.accept), query, now }
  const asked = query.format
  if (typeof asked === 'string' && Object.hasOwn(FORMATS, asked)) {
    return { id, form: FORMATS[asked] ?? 'html', query, now }
  }
  return new AppError('not_acceptable', `format must be one of ${Object.keys(FORMATS).join(', ')}.`)
}

const negotiated = memoize(key => {
  const [primary, acceptLanguage] = (key ?? '').split('\n', 2)
  return negotiateLanguage({ primary, acceptLanguage })
})

/** The language of a page: `?lang=` over `Accept-Language` over the passport's primary language. */
export function negotiatePageLanguage(headers: IncomingHttpHeaders, query: Query, primary: string): Language {
  const acceptLanguage = headers['accept-language']
  const lang = firstValue(query.lang)
  if (lang === undefined) return negotiated(`${primary}\n${acceptLanguage ?? ''}`)
  return negotiateLanguage({ query: lang, acceptLanguage, primary })
}

/** The language of a page, and those that its reader would have texts in, the most wanted first. */
export type NegotiatedLanguage = { language: Language; wanted: readonly string[] }

export function negotiateLanguages(
  headers: IncomingHttpHeaders,
  query: Query,
  { primary, texts }: { primary: string; texts: TranslationLanguages | null },
): NegotiatedLanguage {
  const language = negotiatePageLanguage(headers, query, primary)
  if (texts === null) return { language, wanted: [language] }
  const asked = listRequestedLanguages({
    query: firstValue(query.lang),
    acceptLanguage: headers['accept-language'],
  })
  return { language, wanted: filterTags(asked, texts.all) }
}

/** The first of the values of a parameter that was given more than once. */
export const firstValue = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
