/** HTML to copy into the product's page in a shop, in any of the 24 languages. */

import { html } from 'ghtml'
import { isLanguage, LANGUAGES } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import type { PassportState } from '../../passports/core/state.ts'
import { buildShopSnippet, isProductId } from '../../passports/read/shop-snippet.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { copyable, input, select } from '../page/fields.ts'
import type { SignedInVisit } from '../page/route.ts'
import { wordsOf } from '../page/words.ts'

const TEXTS = {
  en: {
    shop: 'In a shop',
    lead: 'HTML for the product’s page in a shop: a link, its code, and a description for search engines. The law asks that the passport can be found before buying. Nothing in it competes with the shop’s own description of the product.',
    language: 'Language of the link',
    product: '@id of the shop’s own Product',
    productHint:
      'Optional. If the page in the shop has JSON-LD with a Product, give its @id, such as https://shop.example/jumper#product or #product, so that search engines join the two. Without an @id there, add to that Product: "hasDigitalProductPassport": ',
    productWrong: 'Write a whole address with https://, or # and a name.',
    show: 'Show',
    snippet: 'HTML to paste',
  },
  de: {
    shop: 'In einem Shop',
    lead: 'HTML für die Seite des Produkts in einem Shop: ein Link, sein Code und eine Beschreibung für Suchmaschinen. Das Gesetz verlangt, dass der Pass vor dem Kauf zu finden ist. Nichts darin steht der Produktbeschreibung des Shops im Weg.',
    language: 'Sprache des Links',
    product: '@id des Produkts auf der Seite des Shops',
    productHint:
      'Wahlfrei. Hat die Seite im Shop JSON-LD mit einem Product, dann bitte dessen @id angeben, etwa https://shop.example/pullover#product oder #product, damit Suchmaschinen beide verbinden. Hat es keine @id, bitte in dieses Product schreiben: "hasDigitalProductPassport": ',
    productWrong: 'Bitte eine ganze Adresse mit https://, oder # und einen Namen.',
    show: 'Zeigen',
    snippet: 'HTML zum Einfügen',
  },
}

/** Collapsed until used. Its options are in the URL: `?snippet=de&product=%23product`. */
export function renderShopSection({ setup, words, query }: SignedInVisit, { row }: PassportState): string {
  const texts = wordsOf(words, TEXTS)
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
    autocomplete: 'off',
    isOptional: true,
  }
  const problems = isUsable ? {} : { product: texts.productWrong }
  const text = { name: 'shop-html', label: texts.snippet, value: snippet.html.trim(), rows: 6 }
  return html`<details class="fold apart" id="shop"!${asked === '' ? '' : ' open'}><summary>${texts.shop}</summary><p class="quiet">${texts.lead}</p>
<form method="get" action="${PRODUCTS}/${idFromUuid(row.id)}#shop">!${select(choice, {})}!${input(ownProduct, problems)}<p><button class="second">${texts.show}</button></p></form>
!${copyable(words.texts, text)}</details>`
}
