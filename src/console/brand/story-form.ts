/** The form of the block “From the brand”: what was typed, its problems, and the page. */
import { html } from 'ghtml'
import type { BrandStory } from '../../accounts/brand/story.ts'
import { isLanguage, LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import type { Detail } from '../../kernel/errors/errors.ts'
import type { MediaFile } from '../../media/files/media-file.ts'
import {
  MAX_STORY_ALT_LENGTH,
  MAX_STORY_LABEL_LENGTH,
  MAX_STORY_LINKS,
  MAX_STORY_TEXT_LENGTH,
} from '../../passports/story/check-story.ts'
import { describeFile, renderPickerPages } from '../media/parts.ts'
import { isFine, type PostedForm, type Problems, problemsOf } from '../page/form.ts'
import { backLink, defaultButton, described, input, notes, select, summary } from '../page/parts.ts'
import { BRAND, type ConsolePage, STORY, type Words } from '../page/route.ts'
import { renderFilePicture } from '../page/thumbnails.ts'
import { sortOptions } from '../product-data/labels.ts'

/** The texts of one language; `labels`: of the links, in their order. */
type Row = { language: string; text: string; labels: readonly string[]; alt: string }

/** `shown`: the page of pictures that a button asked for. */
export type TypedStory = {
  urls: readonly string[]
  media: string
  rows: readonly Row[]
  blankRows: number
  shown: string
}

/** `found`: a page of the account's pictures and one more; `offered`: those to choose from. */
export type StoryPictures = { found: readonly MediaFile[]; offered: readonly MediaFile[] }
export const PICTURE_PAGE_SIZE = 24

const LINK_NUMBERS = Array.from({ length: MAX_STORY_LINKS }, (_, i) => i)
const MAX_ROWS = 40
const BLANK: Row = { language: '', text: '', labels: [], alt: '' }

/** Shows the stored block, or none. */
export function typedStoryOf({ language }: Words, story: BrandStory | undefined): TypedStory {
  const { text, links = [], picture } = story ?? {}
  const texts = [text, ...links.map(({ label }) => label), picture?.alt]
  const languages = new Set(texts.flatMap(one => Object.keys(one ?? {})))
  const rows = [...languages].map(tag => ({
    language: tag,
    text: text?.[tag] ?? '',
    labels: links.map(({ label }) => label[tag] ?? ''),
    alt: picture?.alt[tag] ?? '',
  }))
  return {
    urls: links.map(({ url }) => url),
    media: picture?.media ?? '',
    rows: rows.length === 0 ? [{ ...BLANK, language }] : rows,
    blankRows: 0,
    shown: '',
  }
}

export function readStoryForm({ language }: Words, form: PostedForm): TypedStory {
  const read = (name: string) =>
    form
      .all(name)
      .slice(0, MAX_ROWS)
      .map(value => value.trim())
  const [languages, texts, alts] = [read('language'), read('text'), read('alt')]
  const labels = LINK_NUMBERS.map(k => read(`label-${k}`))
  const rows = languages
    .map((tag, i) => ({
      language: tag,
      text: texts[i] ?? '',
      labels: labels.map(ofLink => ofLink[i] ?? ''),
      alt: alts[i] ?? '',
    }))
    .filter(({ text, labels, alt }) => [text, alt, ...labels].some(one => one !== ''))
  return {
    urls: LINK_NUMBERS.map(k => form.text(`url-${k}`)),
    media: form.text('media'),
    rows: rows.length === 0 ? [{ ...BLANK, language }] : rows,
    blankRows: form.raw('more') === '' ? 0 : 1,
    shown: form.text('show'),
  }
}

/** Null for an empty form, which removes the block. The texts of a picture go with it. */
export function buildSentStory({ urls, media, rows }: TypedStory): object | null {
  const collect = (find: (row: Row) => string | undefined) =>
    Object.fromEntries(rows.flatMap(row => (find(row) ? [[row.language, find(row)]] : [])))
  const text = collect(row => row.text)
  const links = listUsedLinks({ urls, rows }).map(k => ({
    url: urls[k],
    label: collect(row => row.labels[k]),
  }))
  const hasText = Object.keys(text).length > 0
  if (!hasText && links.length === 0 && media === '') return null
  return {
    text: hasText ? text : null,
    links,
    picture: media === '' ? null : { media, alt: collect(row => row.alt) },
  }
}

/** The numbers of the links of which something was typed. */
const listUsedLinks = ({ urls, rows }: Pick<TypedStory, 'urls' | 'rows'>): number[] =>
  LINK_NUMBERS.filter(k => urls[k] || rows.some(({ labels }) => labels[k]))

/** Errors of the form alone, or those that the check of the block has found. */
export function findStoryProblems(
  { texts }: Words,
  typed: TypedStory,
  details: readonly Detail[] = [],
): Problems {
  const { errors } = texts.story
  const { rows, urls } = typed
  const ofLanguages = rows.map(({ language }, i) => {
    const isRepeated = rows.findIndex(row => row.language === language) < i
    return [
      `language-${i}`,
      isRepeated ? errors.repeated : !isLanguage(language) ? texts.errors.choice : undefined,
    ]
  })
  const used = listUsedLinks(typed)
  const ofDetails = details.map(({ path: [member, n, name, tag], code }) => {
    const rowOf = (language: unknown) =>
      Math.max(
        0,
        rows.findIndex(row => row.language === language),
      )
    const tooLong = (max: number) =>
      code === 'length' ? texts.errors.tooLong({ max }) : texts.errors.characters
    if (member === 'text') return [`text-${rowOf(n)}`, tooLong(MAX_STORY_TEXT_LENGTH)]
    if (member === 'links') {
      const k = used[Number(n)] ?? 0
      if (name === 'url') return [`url-${k}`, urls[k] === '' ? texts.errors.required : errors.url]
      return [
        `label-${k}-${rowOf(tag)}`,
        tag === undefined ? errors.labelMissing : tooLong(MAX_STORY_LABEL_LENGTH),
      ]
    }
    if (n === 'media') return ['picture', errors.picture]
    return [`alt-${rowOf(name)}`, name === undefined ? errors.altMissing : tooLong(MAX_STORY_ALT_LENGTH)]
  })
  return problemsOf(Object.fromEntries([...ofLanguages, ...ofDetails]))
}

type Shown = { typed: TypedStory; pictures: StoryPictures; problems?: Problems }

export function storyPage(words: Words, { typed, pictures, problems = {} }: Shown): ConsolePage {
  const texts = words.texts.story
  const rows = [...typed.rows, ...Array.from({ length: typed.blankRows }, () => BLANK)]
  const urls = LINK_NUMBERS.map(k => {
    const field = { name: `url-${k}`, label: texts.url({ n: k + 1 }), value: typed.urls[k] ?? '' }
    return input({ ...field, hint: texts.urlHint, type: 'url', isOptional: true }, problems)
  })
  const body = html`!${backLink(BRAND, words.texts.brand.title)}<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, buildLabels(words, rows.length))}<form method="post" action="${STORY}" novalidate class="data">!${defaultButton(texts.save)}
<fieldset><legend>${texts.links}</legend>!${urls}</fieldset>!${renderPictures(words, typed, pictures, problems)}
!${rows.map((row, i) => renderRow(words, row, i, problems))}<p><button class="second" name="more" value="1">${texts.more}</button></p>
<p class="hint">${texts.removeHint}</p>
<button>${texts.save}</button></form>`
  return { title: texts.title, body, styles: ['pictures'], status: isFine(problems) ? 200 : 422 }
}

function buildLabels({ texts: { story: texts } }: Words, rows: number): Record<string, string> {
  const numbers = Array.from({ length: rows }, (_, i) => i)
  const ofRow = (i: number) => [
    [`language-${i}`, texts.language],
    [`text-${i}`, texts.text],
    [`alt-${i}`, texts.alt],
    ...LINK_NUMBERS.map(k => [`label-${k}-${i}`, texts.label({ n: k + 1 })]),
  ]
  const ofLinks = LINK_NUMBERS.map(k => [`url-${k}`, texts.url({ n: k + 1 })])
  return Object.fromEntries([...ofLinks, ['picture', texts.picture], ...numbers.flatMap(ofRow)])
}

/** The fields of all rows have the same names, and ids of their own. */
function renderRow(words: Words, row: Row, i: number, problems: Problems): string {
  const texts = words.texts.story
  const codes = LANGUAGES.map(({ code }) => code)
  const options = sortOptions(words.language, codes, tag => formatLanguage(words.language, tag))
  const choose = row.language === '' ? [['', words.texts.products.choose] as const] : []
  const named = (name: string, field: string) => field.replaceAll(` name="${name}-${i}"`, ` name="${name}"`)
  const language = { name: `language-${i}`, label: texts.language, value: row.language }
  const text = { name: `text-${i}`, hint: texts.textHint({ max: MAX_STORY_TEXT_LENGTH }) }
  const area = html`<div class="field"><label for="${text.name}">${texts.text}</label>!${notes(text, problems)}
<textarea id="${text.name}" name="${text.name}" rows="6" maxlength="${MAX_STORY_TEXT_LENGTH}"!${row.language === '' ? '' : html` lang="${row.language}" dir="auto"`}!${described(text, problems)}>
${row.text}</textarea></div>`
  const line = (name: string, label: string, value: string, maxLength: number, hint?: string) =>
    named(
      name,
      input(
        { name: `${name}-${i}`, label, value, language: row.language, maxLength, hint, isOptional: true },
        problems,
      ),
    )
  const labels = LINK_NUMBERS.map(k =>
    line(`label-${k}`, texts.label({ n: k + 1 }), row.labels[k] ?? '', MAX_STORY_LABEL_LENGTH),
  )
  return html`<fieldset><legend>${texts.textsIn}</legend>!${named('language', select({ ...language, options: [...choose, ...options] }, problems))}!${named('text', area)}!${labels}!${line('alt', texts.alt, row.alt, MAX_STORY_ALT_LENGTH, texts.altHint)}</fieldset>`
}

/** CSS pixels. */
const SIDE = 120

function renderPictures(
  words: Words,
  { media: chosen, shown }: TypedStory,
  { found, offered }: StoryPictures,
  problems: Problems,
): string {
  const texts = words.texts.story
  const field = { name: 'picture', hint: offered.length === 0 ? texts.noPictures : texts.pictureHint }
  const radio = (value: string, id: string) =>
    html`<input type="radio" id="${id}" name="media" value="${value}"!${value === chosen ? ' checked' : ''}>`
  const cards = offered.map(file => {
    const id = `pick-${file.id}`
    return html`<li><label for="${id}">!${renderFilePicture(file, SIDE)}<span class="line quiet">${describeFile(words, file)}, ${words.date(file.createdAt.toISOString())}</span></label>!${radio(file.id, id)}</li>`
  })
  const pages = renderPickerPages(words, {
    found,
    size: PICTURE_PAGE_SIZE,
    action: `${STORY}#picture`,
    shown,
  })
  const none = html`<div class="check">!${radio('', 'pick-none')}<label for="pick-none">${texts.noPicture}</label></div>`
  return html`<fieldset id="picture" tabindex="-1"!${described(field, problems)}><legend>${texts.picture}</legend>!${notes(field, problems)}!${none}!${cards.length === 0 ? '' : html`<ul class="files picker">!${cards}</ul>`}!${pages === '' ? '' : html`<p class="choices">!${pages}</p>`}</fieldset>`
}
