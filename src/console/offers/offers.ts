/** The pages of offers, which public pages show under “What you can do”, with a preview below the list. */
import { html } from 'ghtml'
import { pickText } from '../../categories/pick-text.ts'
import { getLabels } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { OFFER_KIND_LABELS, OFFER_KINDS, type Offer } from '../../passports/offers/offer.ts'
import { OFFER_STORE } from '../../passports/offers/store-offers.ts'
import { findNewestModel } from '../../passports/read/find.ts'
import { section, select } from '../page/parts.ts'
import { OFFERS, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName, sortOptions } from '../product-data/labels.ts'
import { renderLanguage } from '../product-data/view.ts'
import { listRecordRoutes } from '../records/record-pages.ts'

export const OFFER_ROUTES = listRecordRoutes<Offer>({
  store: OFFER_STORE,
  address: OFFERS,
  readTexts: texts => texts.offers,
  order: ['kind', 'title', 'text', 'url', 'countries', 'category', 'product_id', 'position'],
  initial: { kind: 'repair' },
  nameChoice: (words, member, value) =>
    member === 'kind' ? nameKind(words, value) : nameCategory(words, value),
  nameRecord: pickTitle,
  listFacts: (words, offer) => {
    const { offers, records } = words.texts
    return [
      [offers.members.kind, html`${nameKind(words, offer.kind)}`],
      [offers.scope, renderScope(words, offer)],
      [offers.members.countries, html`${nameCountries(words, offer.countries)}`],
      [offers.members.url, html`${offer.url}`],
      [records.languages, html`${Object.keys(offer.title).join(', ')}`],
    ]
  },
  renderMore: renderPreview,
})

function nameKind({ language }: Words, value: string): string {
  const kind = OFFER_KINDS.find(one => one === value)
  return kind === undefined ? value : getLabels(language).ui[OFFER_KIND_LABELS[kind]]
}

const nameCategory = (words: Words, category: string): string =>
  category === '' ? words.texts.offers.allProducts : getCategoryName(words, category)

const NO_TITLE = { text: '', language: undefined }

function pickTitle({ language }: Words, { title }: Offer) {
  return pickText(title, [language], 'en') ?? NO_TITLE
}

function renderScope(words: Words, { category, product_id: product }: Offer): string {
  if (product === null) return html`${nameCategory(words, category ?? '')}`
  const id = idFromUuid(product)
  return html`<a href="${PRODUCTS}/${id}">${id}</a>`
}

const nameCountries = ({ texts, country }: Words, codes: readonly string[]): string =>
  codes.length === 0 ? texts.records.everywhere : codes.map(code => country(code) ?? code).join(', ')

/**
 * Previews the offers for a reader from the chosen country, with a link to a page as it is for that country.
 */
async function renderPreview({ ctx, words, query }: Visit, offers: readonly Offer[]): Promise<string> {
  const texts = words.texts.offers
  const codes = [...new Set(offers.flatMap(({ countries }) => countries))]
  const chosen = codes.find(code => code === query.get('country'))
  const named = sortOptions(words.language, codes, code => words.country(code) ?? code)
  const options = [['', texts.previewUnknown] as const, ...named]
  const isFirst = ({ countries }: Offer) =>
    chosen === undefined || countries.length === 0 || countries.includes(chosen)
  const renderPreviewed = (offer: Offer) => {
    const { text, language } = pickTitle(words, offer)
    return html`<li>${nameKind(words, offer.kind)}: <span dir="auto"!${renderLanguage(words, language)}>${text}</span> (${nameCountries(words, offer.countries)})</li>`
  }
  const list = (some: readonly Offer[]) => html`<ul class="points">!${some.map(renderPreviewed)}</ul>`
  const others = offers.filter(offer => !isFirst(offer))
  const model = await findNewestModel(ctx)
  const address = model && `/p/${idFromUuid(model.id)}?country=${chosen ?? ''}#actions`
  const open =
    address === undefined
      ? ''
      : html`<p class="choices"><a class="button second" href="${address}" target="_blank" rel="noopener">${texts.previewOpen}</a></p>`
  const form =
    codes.length === 0
      ? ''
      : html`<form method="get" action="${OFFERS}#preview" class="narrow">!${select({ name: 'country', label: texts.previewCountry, value: chosen ?? '', options }, {})}<button class="second">${texts.previewShow}</button></form>`
  const content = html`<p class="quiet">${texts.previewLead}</p>!${form}<h3>${texts.previewFirst}</h3>!${list(offers.filter(isFirst))}!${others.length === 0 ? '' : html`<h3>${texts.previewOthers}</h3>!${list(others)}`}!${open}`
  return section('preview', texts.preview, content)
}
