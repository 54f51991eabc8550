/** The HTML for a shop's product page, over REST: a shop's own program puts it where it belongs. */
import { LANGUAGES } from '../i18n/catalogue.ts'
import { getPassport, requireUuid } from '../passports/read/find.ts'
import { isProductId, shopSnippet } from '../passports/read/shop-snippet.ts'
import { cacheable } from './categories.ts'
import { oneOf, type Rule, readQuery } from './query.ts'
import { type AccountCall, type Answer, data } from './route.ts'

const productId: Rule<string> = (text, name) =>
  isProductId(text)
    ? text
    : { problem: 'format', message: `${name} must be a whole address (https://…), or # and a name.` }

const SNIPPET_QUERY = { lang: oneOf(...LANGUAGES.map(({ code }) => code)), product: productId }

export async function readSnippet(call: AccountCall): Promise<Answer> {
  const { lang, product } = readQuery(call.query, SNIPPET_QUERY)
  const row = await getPassport(call.account, requireUuid(call.params.id ?? ''))
  return cacheable(
    call,
    data(JSON.stringify(shopSnippet(call.setup.addresses, row, { language: lang, productId: product }))),
  )
}
