/** Offers, which pages show under “What you can do”: all members see them, editors and owners change them. */
import { html } from 'ghtml'
import { pickText } from '../../categories/pick-text.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid, requireUuid } from '../../kernel/ids.ts'
import { MAX_OFFERS, type Offer } from '../../passports/offers/offer.ts'
import {
  changeOffer,
  createOffer,
  deleteOffer,
  getOffer,
  listOffers,
} from '../../passports/offers/store-offers.ts'
import { findNewestModel } from '../../passports/read/find.ts'
import { doneNotice, pointList, questionPage, rowList, section, select } from '../page/parts.ts'
import { OFFERS, type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName, sortOptions } from '../product-data/labels.ts'
import { settingsHead } from '../settings/places.ts'
import { findProblems, getKindName, offerForm, readOfferForm, type TypedOffer, typedOf } from './form.ts'

export async function showOffers(visit: Visit): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const texts = words.texts.offers
  const offers = await listOffers(ctx)
  const mayEdit = session.role !== 'viewer'
  const done = query.has('saved')
    ? doneNotice(texts.saved)
    : query.has('deleted')
      ? doneNotice(texts.deleted)
      : ''
  const add =
    offers.length < MAX_OFFERS
      ? html`<p class="choices"><a class="button" href="${OFFERS}/new">${texts.add}</a></p>`
      : html`<p class="quiet">${texts.full({ most: MAX_OFFERS })}</p>`
  const rows = offers.map(offer => renderRow(words, offer, mayEdit))
  const body = html`!${settingsHead(words, texts)}!${done}!${mayEdit ? add : ''}
!${rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)}!${offers.length === 0 ? '' : await renderPreview(visit, offers)}`
  return { title: texts.title, body }
}

const getTitle = ({ language }: Words, { title }: Offer): string =>
  pickText(title, [language], 'en')?.text ?? ''

function renderRow(words: Words, offer: Offer, mayEdit: boolean): string {
  const texts = words.texts.offers
  const title = getTitle(words, offer)
  const address = `${OFFERS}/${idFromUuid(offer.id)}`
  const action = (to: string, name: string) =>
    html`<a class="action" href="${address}/${to}">${name}<span class="sight"> ${title}</span></a>`
  const actions = mayEdit ? action('edit', texts.edit) + action('delete', texts.delete) : ''
  const languages = Object.keys(offer.title).join(', ')
  return html`<li class="key"><div class="key-head"><h2>${title}</h2>!${actions}</div>
<dl class="pairs"><dt>${texts.kind}</dt><dd>${getKindName(words, offer.kind)}</dd>
<dt>${texts.scope}</dt><dd>!${renderScope(words, offer)}</dd>
<dt>${texts.countries}</dt><dd>${nameCountries(words, offer.countries)}</dd>
<dt>${texts.url}</dt><dd>${offer.url}</dd>
<dt>${texts.languages}</dt><dd>${languages}</dd></dl></li>`
}

function renderScope(words: Words, { category, passportId }: Offer): string {
  if (category !== null) return html`${getCategoryName(words, category)}`
  if (passportId === null) return html`${words.texts.offers.allProducts}`
  const id = idFromUuid(passportId)
  return html`<a href="${PRODUCTS}/${id}">${id}</a>`
}

const nameCountries = ({ texts, country }: Words, codes: readonly string[]): string =>
  codes.length === 0 ? texts.offers.everywhere : codes.map(code => country(code) ?? code).join(', ')

/** What a reader sees who comes from the chosen country, with a link to a page as it is for that country. */
async function renderPreview({ ctx, words, query }: Visit, offers: readonly Offer[]): Promise<string> {
  const texts = words.texts.offers
  const codes = [...new Set(offers.flatMap(({ countries }) => countries))]
  const chosen = codes.find(code => code === query.get('country'))
  const named = sortOptions(words.language, codes, code => words.country(code) ?? code)
  const options = [['', texts.previewUnknown] as const, ...named]
  const isFirst = ({ countries }: Offer) =>
    chosen === undefined || countries.length === 0 || countries.includes(chosen)
  const list = (some: readonly Offer[]) =>
    pointList(
      some.map(
        one =>
          `${getKindName(words, one.kind)}: ${getTitle(words, one)} (${nameCountries(words, one.countries)})`,
      ),
    )
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

export const showNewOffer = (visit: Visit): Outcome => offerForm(visit.words, { typed: typedOf(visit.words) })

export async function showOffer(visit: Visit): Promise<Outcome> {
  const offer = await getOffer(visit.ctx, requireOfferId(visit))
  return offerForm(visit.words, { typed: typedOf(visit.words, offer), id: visit.id })
}

const requireOfferId = ({ id }: Visit) => requireUuid(id, 'offer')

export const submitNewOffer = (visit: Visit): Promise<Outcome> =>
  save(visit, undefined, sent => createOffer(visit.ctx, sent))

export const submitOffer = (visit: Visit): Promise<Outcome> =>
  save(visit, visit.id, sent => changeOffer(visit.ctx, requireOfferId(visit), sent))

async function save(
  { words, form }: Visit,
  id: string | undefined,
  write: (sent: TypedOffer['sent']) => Promise<Offer>,
): Promise<Outcome> {
  const typed = readOfferForm(words, form)
  if (form.raw('more') !== '') return offerForm(words, { typed: { ...typed, blankRows: 2 }, id })
  const own = findProblems(words, typed)
  if (own !== undefined) return offerForm(words, { typed, id, problems: own })
  try {
    await write(typed.sent)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'plan_limit') return { to: OFFERS }
    if (error.code !== 'validation') throw error
    return offerForm(words, { typed, id, problems: findProblems(words, typed, error.details) ?? {} })
  }
  return { to: `${OFFERS}?saved=1` }
}

export async function showDeleteOffer(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const texts = words.texts.offers
  const offer = await getOffer(visit.ctx, requireOfferId(visit))
  return questionPage({
    title: texts.deleteTitle({ title: getTitle(words, offer) }),
    about: html`<p class="lead">${texts.deleteLead}</p>`,
    action: `${OFFERS}/${visit.id}/delete`,
    submit: texts.delete,
    back: OFFERS,
    keep: words.texts.people.keep,
  })
}

export async function submitDeleteOffer(visit: Visit): Promise<Outcome> {
  await deleteOffer(visit.ctx, requireOfferId(visit))
  return { to: `${OFFERS}?deleted=1` }
}
