/** The form of a recall notice: two texts for each language of the product, and what all of them share. */
import { html } from 'ghtml'
import { formatLanguage } from '../../i18n/format.ts'
import { AppError, type Detail } from '../../kernel/errors/errors.ts'
import { asObject } from '../../kernel/values/data-object.ts'
import type { RecallNotice } from '../../passports/core/recalls.ts'
import {
  MAX_RECALL_TEXT_LENGTH,
  requireNotice,
  type SentNotice,
} from '../../passports/recalls/check-notice.ts'
import { type PostedForm, type Problems, readForm } from '../page/form.ts'
import { described, input, notes, summary } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'

const TEXTS = ['hazard', 'action'] as const

/** `languages`: BCP-47 tags; the first is the product's primary language, whose texts are required. */
export type NoticeForm = {
  action: string
  form: PostedForm
  languages: readonly [string, ...string[]]
  problems: Problems
  /** The number of the change that the form was made from; 0 for none. */
  base: number
}

/** The form that shows a stored notice. */
export function toNoticeForm(notice: RecallNotice | undefined): PostedForm {
  if (notice === undefined) return readForm([])
  const { url, contact, from, ...texts } = notice
  const entries = TEXTS.flatMap(name =>
    Object.entries(texts[name]).map(([tag, text]) => [`${name}.${tag}`, text] as const),
  )
  return readForm([...entries, ['url', url ?? ''], ['contact', contact ?? ''], ['from', from]])
}

type ReadNotice = { notice: RecallNotice; problems: undefined } | { notice: undefined; problems: Problems }

/** Empty inputs count as not sent. `problems`: by input name. */
export function readNoticeForm(
  words: Words,
  form: PostedForm,
  { primary, now }: { primary: string; now: Date },
): ReadNotice {
  const textsOf = (name: string) =>
    Object.fromEntries(
      form
        .under(name)
        .map(tag => [tag, form.text(`${name}.${tag}`)])
        .filter(([, text]) => text !== ''),
    )
  const orNone = (name: string) => form.text(name) || undefined
  const sent: SentNotice = {
    hazard: textsOf('hazard'),
    action: textsOf('action'),
    url: orNone('url'),
    contact: orNone('contact'),
    from: orNone('from'),
  }
  try {
    return { notice: requireNotice(sent, primary, now), problems: undefined }
  } catch (error) {
    if (!(error instanceof AppError) || error.details === undefined) throw error
    return { notice: undefined, problems: toProblems(words, error.details, primary) }
  }
}

/** A field without a text in the primary language has its error at that input. */
function toProblems(words: Words, details: readonly Detail[], primary: string): Problems {
  const texts = words.texts.recalls
  return Object.fromEntries(
    details.map(detail => {
      const [name = '', tag = primary] = detail.path.map(String)
      if (name === 'from') return [name, detail.code === 'max' ? texts.fromFuture : texts.fromWrong]
      if (detail.path.length === 1 && TEXTS.some(one => one === name))
        return [`${name}.${tag}`, words.texts.errors.required]
      return [detail.path.length === 1 ? name : `${name}.${tag}`, explainProblem(words, detail)]
    }),
  )
}

export function renderNoticeForm(words: Words, drawing: NoticeForm): string {
  const texts = words.texts.recalls
  const { action, form, problems, base, languages } = drawing
  const [primary, ...others] = languages
  const labels = Object.fromEntries([
    ...languages.flatMap(tag =>
      TEXTS.map(name => [`${name}.${tag}`, `${texts[name]} (${formatLanguage(words.language, tag)})`]),
    ),
    ...(['url', 'contact', 'from'] as const).map(name => [name, texts[name]]),
  ])
  const more =
    others.length === 0
      ? ''
      : html`<details class="fold"!${others.some(tag => isInUse(drawing, tag)) ? ' open' : ''}><summary>${texts.otherLanguages}</summary>!${others.map(tag => renderLanguage(words, drawing, tag, false))}</details>`
  const rest = [
    input(
      { name: 'url', label: texts.url, hint: texts.urlHint, value: form.text('url'), isOptional: true },
      problems,
    ),
    input(
      {
        name: 'contact',
        label: texts.contact,
        hint: texts.contactHint,
        value: form.text('contact'),
        isOptional: true,
      },
      problems,
    ),
    input(
      {
        name: 'from',
        label: texts.from,
        hint: texts.fromHint,
        type: 'date',
        value: form.text('from'),
        isOptional: true,
      },
      problems,
    ),
  ]
  return html`!${summary(words.texts, problems, labels)}<form method="post" action="${action}" novalidate class="data">
<input type="hidden" name="base" value="${base}">!${renderLanguage(words, drawing, primary, true)}!${more}!${rest}
<div class="choices"><button name="step" value="check">${texts.check}</button></div></form>`
}

const isInUse = ({ form, problems }: NoticeForm, tag: string) =>
  TEXTS.some(name => form.text(`${name}.${tag}`) !== '' || `${name}.${tag}` in problems)

function renderLanguage(
  words: Words,
  { form, problems }: NoticeForm,
  tag: string,
  isRequired: boolean,
): string {
  const texts = words.texts.recalls
  const areas = TEXTS.map(name => {
    const field = { name: `${name}.${tag}`, hint: isRequired ? texts[`${name}Hint`] : undefined }
    return html`<div class="field"><label for="${field.name}">${texts[name]}</label>!${notes(field, problems)}
<textarea id="${field.name}" name="${field.name}" lang="${tag}" rows="4" maxlength="${MAX_RECALL_TEXT_LENGTH}"!${isRequired ? ' required' : ''}!${described(field, problems)}>
${form.raw(field.name)}</textarea></div>`
  })
  return html`<fieldset><legend>${formatLanguage(words.language, tag)}</legend>!${areas}</fieldset>`
}

/** The product's languages, then those of the texts that it has besides. */
export function listFormLanguages(
  data: Readonly<Record<string, unknown>>,
  primary: string,
  form: PostedForm,
): NoticeForm['languages'] {
  const listed = Array.isArray(data.languages) ? data.languages.map(String) : []
  const used = TEXTS.flatMap(name => form.under(name))
  const others = new Set([...listed, ...used, ...Object.keys(asObject(data.hazard))])
  others.delete(primary)
  return [primary, ...others]
}
