/** What was typed about a product, and what a verb had against it: every fault at its field, nothing typed ever lost. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import type { Data } from '../../categories/value.ts'
import { AppError } from '../../kernel/errors.ts'
import { inputName, PREFIX, readData } from '../data-form.ts'
import { labelOf } from '../data-labels.ts'
import { withoutBlankRows } from '../data-rows.ts'
import { DRAFTS_MODULE } from '../drafts-module.ts'
import { notice, summary } from '../fields.ts'
import { type Form, isFine, type Problems } from '../form.ts'
import { type Words, wordsOf } from '../texts.ts'
import { faultSentence, holderOf } from './faults.ts'
import { PRODUCTS } from './list.ts'
import { withMembers } from './missing.ts'
import { PRODUCT_TEXTS } from './texts.ts'

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
  const labels = Object.fromEntries(Object.keys(problems).map(name => [name, pathLabel(words, name)]))
  const told = isFine(problems) ? notice(message) : summary(words.texts, problems, labels)
  return holder === undefined ? told : html`!${told}!${holderLink(words, holder)}`
}

const holderLink = (words: Words, id: string): string =>
  html`<p><a class="alone" href="${PRODUCTS}/${id}">${wordsOf(words, PRODUCT_TEXTS).gtinHolder}</a></p>`

/** `d.fiberComposition.1.percentage` as "Fibres 2, Share". */
export function pathLabel(words: Words, name: string): string {
  const [first = '', ...rest] = name.split('.').slice(1)
  const index = rest.find(part => /^\d+$/.test(part))
  const path = [first, ...rest.filter(part => !/^\d+$/.test(part))].join('.')
  const top = labelOf(words, first) + (index === undefined ? '' : ` ${Number(index) + 1}`)
  return path === first ? top : `${top}, ${labelOf(words, path)}`
}

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
