/** Selects the language of a page, and of the texts in it. */
import type { IncomingHttpHeaders } from 'node:http'
import { filterTags, type TranslationLanguages } from '../../categories/pick-text.ts'
import type { Language } from '../../i18n/catalogue.ts'
import { listRequestedLanguages, negotiateLanguage } from '../../i18n/negotiate.ts'
import { memoize } from '../http/content-negotiation.ts'

export type Query = Readonly<Record<string, string | string[] | undefined>>

const negotiateWithoutQuery = memoize(key => {
  const [primary, acceptLanguage] = (key ?? '').split('\n', 2)
  return negotiateLanguage({ primary, acceptLanguage })
})

/** By `?lang=`, else by `Accept-Language`, else the passport's primary language. */
export function negotiatePageLanguage(headers: IncomingHttpHeaders, query: Query, primary: string): Language {
  const acceptLanguage = headers['accept-language']
  const lang = getFirst(query.lang)
  if (lang === undefined) return negotiateWithoutQuery(`${primary}\n${acceptLanguage ?? ''}`)
  return negotiateLanguage({ query: lang, acceptLanguage, primary })
}

/** The language of a page, and the languages in which its reader wants the account's texts, best first. */
export type NegotiatedLanguage = { language: Language; preferredLanguages: readonly string[] }

export function negotiateLanguages(
  headers: IncomingHttpHeaders,
  query: Query,
  { primaryLanguage, textLanguages }: { primaryLanguage: string; textLanguages: TranslationLanguages | null },
): NegotiatedLanguage {
  const language = negotiatePageLanguage(headers, query, primaryLanguage)
  if (textLanguages === null) return { language, preferredLanguages: [language] }
  const requested = listRequestedLanguages({
    query: getFirst(query.lang),
    acceptLanguage: headers['accept-language'],
  })
  return { language, preferredLanguages: filterTags(requested, textLanguages.all) }
}

/** The first value of a parameter that was sent more than once. */
export const getFirst = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)
