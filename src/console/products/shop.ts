/** What a shop puts on the product's page there, to be copied, in any of the 24 languages. */
import { html } from 'ghtml'
import { isLanguage, LANGUAGES } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { shopSnippet } from '../../passports/shop-snippet.ts'
import type { State } from '../../passports/state.ts'
import { copyable, select } from '../fields.ts'
import type { SignedInVisit } from '../route.ts'
import { wordsOf } from '../texts.ts'
import { PRODUCTS } from './list.ts'

const TEXTS = {
  en: {
    shop: 'In a shop',
    lead: 'HTML for the product’s page in a shop: a link, its code, and a description for search engines. The law asks that the passport can be found before buying.',
    language: 'Language of the link',
    show: 'Show',
    snippet: 'HTML to paste',
  },
  de: {
    shop: 'In einem Shop',
    lead: 'HTML für die Seite des Produkts in einem Shop: ein Link, sein Code und eine Beschreibung für Suchmaschinen. Das Gesetz verlangt, dass der Pass vor dem Kauf zu finden ist.',
    language: 'Sprache des Links',
    show: 'Zeigen',
    snippet: 'HTML zum Einfügen',
  },
}

/** Folded until it is asked for. The language is in the address: `?snippet=de`. */
export function shopPart({ setup, words, query }: SignedInVisit, { row }: State): string {
  const texts = wordsOf(words, TEXTS)
  const asked = query.get('snippet') ?? ''
  const snippet = shopSnippet(setup.addresses, row, isLanguage(asked) ? asked : undefined)
  const options = LANGUAGES.map(({ code, name }) => [code, name] as const)
  const choice = { name: 'snippet', label: texts.language, value: snippet.language, options }
  const text = { name: 'shop-html', label: texts.snippet, value: snippet.html.trim(), rows: 6 }
  return html`<details class="fold apart" id="shop"!${asked === '' ? '' : ' open'}><summary>${texts.shop}</summary><p class="quiet">${texts.lead}</p>
<form method="get" action="${PRODUCTS}/${idFromUuid(row.id)}#shop" class="filters">!${select(choice, {})}<button class="second">${texts.show}</button></form>
!${copyable(words.texts, text)}</details>`
}
