/** The form of an offer: what was typed, its problems, and the page. */
import { html } from 'ghtml'
import { allCategories } from '../../categories/catalogue.ts'
import { findCountryByName } from '../../categories/names/country-names.ts'
import { getLabels, LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import { isCountry } from '../../kernel/countries.ts'
import type { Detail } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import type { SentOffer } from '../../passports/offers/check-offer.ts'
import {
  MAX_OFFER_POSITION,
  MAX_OFFER_TEXT_LENGTH,
  MAX_OFFER_TITLE_LENGTH,
  OFFER_KIND_LABELS,
  OFFER_KINDS,
  type Offer,
  type OfferKind,
} from '../../passports/offers/offer.ts'
import { isFine, type PostedForm, type Problems, problemsOf } from '../page/form.ts'
import { backLink, defaultButton, input, select, summary } from '../page/parts.ts'
import { type ConsolePage, OFFERS, type Words } from '../page/route.ts'
import { getCategoryName, sortOptions } from '../product-data/labels.ts'
import { parseTypedProduct } from '../settings/access-links.ts'

type Row = { language: string; title: string; text: string }

export type TypedOffer = {
  fields: Readonly<Record<'kind' | 'category' | 'product' | 'countries' | 'url' | 'position', string>>
  rows: readonly Row[]
  /** How many empty rows follow. */
  blankRows: number
  /** As the API takes it. */
  sent: SentOffer
  unknownCountries: readonly string[]
}

export const getKindName = ({ language }: Words, kind: OfferKind): string =>
  getLabels(language).ui[OFFER_KIND_LABELS[kind]]

/** Of a new offer, or of one that exists. */
export function typedOf({ language }: Words, offer?: Offer): TypedOffer {
  const { kind = 'repair', category, passportId, countries = [], title = {}, text } = offer ?? {}
  const rows = Object.entries(title).map(([tag, words]) => ({
    ...{ language: tag, title: words, text: text?.[tag] ?? '' },
  }))
  return {
    fields: {
      kind,
      category: category ?? '',
      product: passportId ? idFromUuid(passportId) : '',
      countries: countries.join(', '),
      url: offer?.url ?? '',
      position: offer === undefined ? '' : String(offer.position),
    },
    rows: rows.length === 0 ? [{ language, title: '', text: '' }] : rows,
    blankRows: rows.length === 0 ? 0 : 1,
    sent: {},
    unknownCountries: [],
  }
}

const MAX_ROWS = 40

export function readOfferForm(words: Words, form: PostedForm): TypedOffer {
  const { sent: _, ...empty } = typedOf(words)
  const fields = {
    kind: form.text('kind'),
    category: form.text('category'),
    product: form.text('product'),
    countries: form.text('countries'),
    url: form.text('url'),
    position: form.text('position'),
  }
  const read = (name: string) => form.all(name).slice(0, MAX_ROWS)
  const [languages, titles, sentences] = [read('language'), read('title'), read('text')]
  const rows = languages
    .map((language, i) => ({ language, title: titles[i]?.trim() ?? '', text: sentences[i]?.trim() ?? '' }))
    .filter(({ title, text }) => title !== '' || text !== '')
  const countries = fields.countries.split(/[,;\n]+|\s+(?=[A-Z]{2}\b)/).flatMap(one => one.trim() || [])
  const codes = countries.map(one =>
    isCountry(one.toUpperCase()) ? one.toUpperCase() : findCountryByName(one),
  )
  const texts = rows.filter(({ text }) => text !== '')
  return {
    ...empty,
    fields,
    rows: rows.length === 0 ? empty.rows : rows,
    unknownCountries: countries.filter((_one, i) => codes[i] === undefined),
    sent: {
      kind: fields.kind,
      category: fields.category || null,
      product_id: parseTypedProduct(fields.product) ?? null,
      countries: [...new Set(codes.filter(code => code !== undefined))],
      title: Object.fromEntries(rows.map(({ language, title }) => [language, title])),
      text:
        texts.length === 0 ? null : Object.fromEntries(texts.map(({ language, text }) => [language, text])),
      url: fields.url,
      position: fields.position === '' ? undefined : Number(fields.position),
    },
  }
}

/** Of the form alone, or those that the check of the offer has found. Undefined if there are none. */
export function findProblems(
  words: Words,
  typed: TypedOffer,
  details: readonly Detail[] = [],
): Problems | undefined {
  const { errors, offers: texts, accessLinks } = words.texts
  const found = (name: string) => details.find(({ path }) => path[0] === name)
  const say = (name: string, sentence: string) => (found(name) === undefined ? undefined : sentence)
  const { rows, fields, unknownCountries } = typed
  const isRepeated = (i: number) => rows.findIndex(({ language }) => language === rows[i]?.language) < i
  const ofRows = rows.flatMap(({ title, text, language }, i) => {
    const wrongTitle = details.find(({ path }) => path[0] === 'title' && path[1] === language)
    const wrongText = details.find(({ path }) => path[0] === 'text' && path[1] === language)
    const long = (max: number, code: string) =>
      code === 'length' ? errors.tooLong({ max }) : errors.characters
    return [
      [`language-${i}`, isRepeated(i) ? texts.errors.repeated : language === '' ? errors.choice : undefined],
      [
        `title-${i}`,
        title === '' && (text !== '' || rows.length === 1)
          ? errors.required
          : wrongTitle && long(MAX_OFFER_TITLE_LENGTH, wrongTitle.code),
      ],
      [`text-${i}`, wrongText && long(MAX_OFFER_TEXT_LENGTH, wrongText.code)],
    ] as const
  })
  const problems = problemsOf({
    kind: say('kind', errors.choice),
    category:
      fields.category !== '' && fields.product !== '' ? texts.errors.both : say('category', errors.choice),
    product: say('product_id', accessLinks.productUnknown),
    countries:
      unknownCountries.length > 0
        ? texts.errors.countries({ wrong: unknownCountries.slice(0, 3).join(', ') })
        : undefined,
    ...Object.fromEntries(ofRows),
    url: fields.url === '' ? errors.required : say('url', texts.errors.url),
    position: say('position', texts.errors.position({ most: MAX_OFFER_POSITION })),
  })
  return isFine(problems) ? undefined : problems
}

type Shown = { typed: TypedOffer; id?: string | undefined; problems?: Problems }

export function offerForm(words: Words, { typed, id, problems = {} }: Shown): ConsolePage {
  const texts = words.texts.offers
  const { fields, rows, blankRows } = typed
  const blank = { language: '', title: '', text: '' }
  const allRows = [...rows, ...Array.from({ length: blankRows }, () => blank)]
  const title = id === undefined ? texts.addTitle : texts.editTitle
  const action = id === undefined ? OFFERS : `${OFFERS}/${id}`
  const kinds = OFFER_KINDS.map(kind => [kind, getKindName(words, kind)] as const)
  const categories = allCategories().map(one => [one.id, getCategoryName(words, one.id)] as const)
  const option = (name: 'countries' | 'product' | 'position') => ({
    ...{ name, value: fields[name], isOptional: true },
  })
  const body = html`!${backLink(OFFERS, texts.title)}<h1>${title}</h1>
!${summary(words.texts, problems, buildLabels(words, allRows.length))}<form method="post" action="${action}" novalidate class="data">!${defaultButton(texts.save)}
!${select({ name: 'kind', label: texts.kind, value: fields.kind, options: kinds }, problems)}!${allRows.map((row, i) => renderRow(words, row, i, problems))}
<p><button class="second" name="more" value="1">${texts.more}</button></p>
!${input({ name: 'url', label: texts.url, hint: texts.urlHint, value: fields.url, type: 'url' }, problems)}!${input({ ...option('countries'), label: texts.countries, hint: texts.countriesHint }, problems)}
!${select({ name: 'category', label: texts.category, value: fields.category, options: [['', texts.allProducts], ...categories] }, problems)}!${input({ ...option('product'), label: texts.product, hint: texts.productHint }, problems)}
!${input({ ...option('position'), label: texts.position, hint: texts.positionHint }, problems)}
<button>${texts.save}</button></form>`
  return { title, body, status: isFine(problems) ? 200 : 422 }
}

function buildLabels({ texts: { offers: texts } }: Words, rows: number): Record<string, string> {
  const numbers = Array.from({ length: rows }, (_, i) => i)
  return {
    ...{ kind: texts.kind, category: texts.category, product: texts.product, countries: texts.countries },
    ...{ url: texts.url, position: texts.position },
    ...Object.fromEntries(
      numbers.flatMap(i => [
        [`language-${i}`, texts.language],
        [`title-${i}`, texts.linkText],
        [`text-${i}`, texts.sentence],
      ]),
    ),
  }
}

/** The fields of all rows have the same names, and ids of their own. */
function renderRow(words: Words, row: Row, i: number, problems: Problems): string {
  const texts = words.texts.offers
  const known: readonly string[] = LANGUAGES.map(({ code }) => code)
  const tags = row.language === '' || known.includes(row.language) ? known : [row.language, ...known]
  const options = sortOptions(words.language, tags, tag => formatLanguage(words.language, tag))
  const choose = row.language === '' ? [['', words.texts.products.choose] as const] : []
  const named = (name: string, field: string) => field.replaceAll(` name="${name}-${i}"`, ` name="${name}"`)
  const language = { name: `language-${i}`, label: texts.language, value: row.language }
  const title = {
    name: `title-${i}`,
    label: texts.linkText,
    value: row.title,
    maxLength: MAX_OFFER_TITLE_LENGTH,
  }
  const text = { name: `text-${i}`, label: texts.sentence, value: row.text, maxLength: MAX_OFFER_TEXT_LENGTH }
  return html`<fieldset><legend>${texts.textsIn}</legend>!${named('language', select({ ...language, options: [...choose, ...options] }, problems))}!${named('title', input({ ...title, hint: texts.linkTextHint, isOptional: i > 0 }, problems))}!${named('text', input({ ...text, isOptional: true }, problems))}</fieldset>`
}
