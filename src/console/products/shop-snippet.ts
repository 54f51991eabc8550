/** HTML to copy into the product's page in a shop, in any of the 24 languages. */

import { html } from 'ghtml'
import { isLanguage, LANGUAGES } from '../../i18n/catalogue.ts'
import type { PassportState } from '../../passports/core/state.ts'
import { buildShopSnippet, isProductId } from '../../passports/read/shop-snippet.ts'
import { copyable, input, select } from '../page/fields.ts'
import type { Visit } from '../page/route.ts'
import { getProductUrl } from '../product-data/product.ts'

/** Collapsed until used. Its options are in the URL: `?snippet=de&product=%23product`. */
export function renderShopSection({ setup, words, query }: Visit, { row }: PassportState): string {
  const texts = words.texts.shop
  const asked = query.get('snippet') ?? ''
  const product = (query.get('product') ?? '').trim()
  const isUsable = product === '' || isProductId(product)
  const snippet = buildShopSnippet(setup.addresses, row, {
    language: isLanguage(asked) ? asked : undefined,
    productId: product !== '' && isUsable ? product : undefined,
  })
  const options = LANGUAGES.map(({ code, name }) => [code, name] as const)
  const choice = { name: 'snippet', label: texts.language, value: snippet.language, options }
  const ownProduct = {
    name: 'product',
    label: texts.product,
    hint: `${texts.productHint}${JSON.stringify({ '@id': snippet.passport_url })}`,
    value: product,
    isOptional: true,
  }
  const problems = isUsable ? {} : { product: texts.productWrong }
  const text = { name: 'shop-html', label: texts.snippet, value: snippet.html.trim(), rows: 6 }
  return html`<details class="fold apart" id="shop"!${asked === '' ? '' : ' open'}><summary>${texts.title}</summary><p class="quiet">${texts.lead}</p>
<form method="get" action="${getProductUrl(row)}#shop">!${select(choice, {})}!${input(ownProduct, problems)}<p><button class="second">${texts.show}</button></p></form>
!${copyable(words.texts, text)}</details>`
}
