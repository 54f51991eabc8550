/** The section “What you can do”: the account's offers, those for the reader's country first. */
import { html } from 'ghtml'
import { formatCountry, sortNames } from '../../i18n/format.ts'
import { OFFER_KIND_LABELS, type Offer } from '../../passports/offers/offer.ts'
import { type PageContext, renderCollapsible } from './page-context.ts'
import {
  findLink,
  findLocalizedText,
  renderAccountText,
  renderExternalLink,
  renderLabelled,
  renderSmallLanguageNote,
} from './values.ts'

const ANCHOR = 'actions'
/** A page with hundreds would help nobody, and exceed its budget. The link set names all. */
const MAX_OF_KIND = 3
const MAX_ELSEWHERE = 24

/** The countries for which there are offers, in the order of their codes; undefined for none. */
export function findOfferCountries(offers: readonly Offer[]): ReadonlySet<string> | undefined {
  const countries = offers.flatMap(offer => offer.countries)
  return countries.length === 0 ? undefined : new Set(countries.sort())
}

/**
 * Empty without offers. Without a known country all are shown, by country; if they are too many, the links to
 * the countries lead to them.
 */
export function renderOffers(page: PageContext): string {
  const { offers } = page.view
  if (offers.length === 0) return ''
  const { country } = page
  const { ui } = page.labels
  const isHere = ({ countries }: Offer) =>
    countries.length === 0 || (country !== undefined && countries.includes(country))
  const elsewhere = offers.filter(offer => !isHere(offer))
  const groups = elsewhere.length > MAX_ELSEWHERE ? '' : renderCountries(page, elsewhere)
  const others =
    country === undefined || groups === ''
      ? groups
      : html`<details><summary><h3>${ui['actions.elsewhere']}</h3></summary><div>!${groups}</div></details>`
  const body = renderCountryLinks(page) + renderList(page, offers.filter(isHere)) + others
  return renderCollapsible(ANCHOR, ui['actions.title'], body, { isOpen: true })
}

/** Links to the page for each country with offers. The address names the language, which they keep. */
function renderCountryLinks(page: PageContext): string {
  const { view, language, labels, country, keptQuery } = page
  const countries = findOfferCountries(view.offers)
  if (countries === undefined) return ''
  const names = new Map(Array.from(countries, code => [formatCountry(language, code), code]))
  const links = sortNames(language, names.keys()).map(name => {
    const code = names.get(name)
    const current = code === country ? ' aria-current="true"' : ''
    return html`<a href="?!${keptQuery.replace(/country=..&amp;/, '')}lang=${language}&amp;country=${code}#!${ANCHOR}"!${current}>${name}</a>`
  })
  return html`<p class="from">!${renderLabelled(page, html`${labels.ui['actions.country']}`, links.join(' · '))}</p>`
}

/** Offers for the same countries together, under the names of these. */
function renderCountries(page: PageContext, offers: readonly Offer[]): string {
  const groups = Map.groupBy(offers, ({ countries }) => countries.join())
  return Array.from(groups.values(), group => {
    const names = group[0]?.countries.map(code => formatCountry(page.language, code)) ?? []
    return html`<h3>${names.join(', ')}</h3>!${renderList(page, group)}`
  }).join('')
}

/** Kinds in the order of their first offers; of each kind the nearest. */
function renderList(page: PageContext, offers: readonly Offer[]): string {
  if (offers.length === 0) return ''
  const pairs = Array.from(
    Map.groupBy(offers, ({ kind }) => kind),
    ([kind, some]) => {
      const items = some.slice(0, MAX_OF_KIND).map(offer => html`<dd>!${renderOffer(page, offer)}</dd>`)
      return html`<div class="w"><dt>${page.labels.ui[OFFER_KIND_LABELS[kind]]}</dt>!${items}</div>`
    },
  )
  return html`<dl>!${pairs}</dl>`
}

function renderOffer(page: PageContext, { title, text, url }: Offer): string {
  const [name, sentence] = [title, text].map(texts => findLocalizedText(page, texts))
  const link = findLink(page, url)
  if (name === undefined || link === undefined) return ''
  const more = sentence === undefined ? '' : html`<br>!${renderAccountText(sentence)}`
  const note = renderSmallLanguageNote(page, name, sentence)
  return renderExternalLink(page, link, renderAccountText(name)) + more + note
}
