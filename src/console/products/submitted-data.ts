/** What was typed about a product, and what a verb had against it: every fault at its field, nothing typed ever lost. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { problem } from '../../categories/problems.ts'
import type { Data } from '../../categories/value.ts'
import { AppError, type Detail, SAID } from '../../kernel/errors.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { notice, summary } from '../page/fields.ts'
import { type Form, isFine, type Problems } from '../page/form.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { inputName, PREFIX, readData } from '../product-data/form-data.ts'
import { getInputLabel } from '../product-data/labels.ts'
import { withoutBlankRows } from '../product-data/list-rows.ts'
import { faultSentence, holderOf } from '../product-data/problem-sentence.ts'

/** Modules of the forms of data. */
export const SCRIPTS = ['languages', 'sums', DRAFTS_MODULE]

/** `holder`: the own product whose GTIN was typed. */
export type Typed = { form: Form; problems: Problems; message?: string; holder?: string }

/** A form that is meant to be kept, as data; `unclear` is what could be read in two ways. */
export type Sent = { form: Form; fields: readonly Field[]; data: Data; unclear: Problems }

export function readSent(words: Words, fields: readonly Field[], sent: Form, was: Data): Sent {
  const form = withoutBlankRows(fields, sent, PREFIX)
  const { data, problems } = readData(fields, form, { words, was })
  return { form, fields, data, unclear: problems }
}

export const statusOf = ({ problems, message }: Omit<Typed, 'form'>) =>
  isFine(problems) && message === undefined ? 200 : 422

export function faults(words: Words, { problems, message, holder }: Omit<Typed, 'form'>): string {
  const labels = Object.fromEntries(Object.keys(problems).map(name => [name, getInputLabel(words, name)]))
  const told = isFine(problems) ? notice(message) : summary(words.texts, problems, labels)
  return holder === undefined ? told : html`!${told}!${holderLink(words, holder)}`
}

const holderLink = (words: Words, id: string): string =>
  html`<p><a class="alone" href="${PRODUCTS}/${id}">${wordsOf(words, PRODUCT_TEXTS).gtinHolder}</a></p>`

/**
 * The refusal of a verb as problems of the form. What is about no field is the message. An unclear text was sent as it
 * was typed, so that the verb tells all that is wrong at once; why it could not be read is what the person has to know.
 */
export function problemsIn(
  words: Words,
  error: unknown,
  { fields, unclear }: Pick<Sent, 'fields' | 'unclear'>,
): Omit<Typed, 'form'> {
  if (!(error instanceof AppError) || error.code === 'not_found') throw error
  const problems: Record<string, string> = {}
  const loose: string[] = []
  for (const detail of withMembers(fields, error.details ?? [])) {
    const name = inputName(detail)
    if (name === '') loose.push(faultSentence(words, detail))
    else problems[name] ??= unclear[name] ?? faultSentence(words, detail)
  }
  const isAboutFields = !isFine(problems)
  const holder = holderOf(error.details)
  return {
    problems,
    ...(isAboutFields && loose.length === 0 ? {} : { message: loose[0] ?? error.message }),
    ...(holder === undefined ? {} : { holder }),
  }
}

/** The details of a refusal, with the required fields of a missing group in place of the group. */
const withMembers = (fields: readonly Field[], details: readonly Detail[]): Detail[] =>
  details.flatMap(detail => {
    const field = detail[SAID]?.key === 'missing' ? fields.find(one => one.name === detail.field) : undefined
    return field === undefined ? [detail] : needed(field, detail)
  })

/** A list that must have something is drawn with a first row. */
function needed(field: Field, detail: Detail): Detail[] {
  const isRows = field.type === 'list' && field.of?.[0]?.name !== ''
  const members = (field.type === 'object' ? field.fields : isRows ? field.of : undefined) ?? []
  const inner = members.filter(one => one.required)
  if (field.localized || inner.length === 0) return [detail]
  const [at, place] = isRows ? [`${detail.pointer}/0`, `${detail.field}[0]`] : [detail.pointer, detail.field]
  return inner.flatMap(one => {
    const { key, facts } = problem('missing_in', { parent: place })
    const pointer = `${at}/${one.name}`
    return needed(one, { ...detail, field: `${place}.${one.name}`, pointer, [SAID]: { key, facts } })
  })
}
