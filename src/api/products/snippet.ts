/** The HTML for a shop's product page, over REST: a shop's own program puts it where it belongs. */
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { getPassport, requireProductUuid } from '../../passports/read/find.ts'
import { buildShopSnippet, isProductId } from '../../passports/read/shop-snippet.ts'
import { cacheable } from '../endpoint/conditions.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { oneOf, type Rule, readQuery } from '../endpoint/query.ts'

const productId: Rule<string> = (text, name) =>
  isProductId(text)
    ? text
    : { problem: 'format', message: `${name} must be a whole address (https://…), or # and a name.` }

const SNIPPET_QUERY = { lang: oneOf(...LANGUAGES.map(({ code }) => code)), product: productId }

export async function readSnippet(call: AccountCall): Promise<ApiResponse> {
  const { lang, product } = readQuery(call.query, SNIPPET_QUERY)
  const row = await getPassport(call.account, requireProductUuid(call.params.id ?? ''))
  return cacheable(
    call,
    successJson(
      JSON.stringify(buildShopSnippet(call.setup.addresses, row, { language: lang, productId: product })),
    ),
  )
}
