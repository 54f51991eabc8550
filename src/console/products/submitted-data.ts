/** Parses a submitted product form and shows every error at its field. No input is lost. */

import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { problem } from '../../categories/problems.ts'
import { formatField } from '../../kernel/errors/detail-json.ts'
import { AppError, type Detail, TRANSLATION } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { isFine, type PostedForm, type Problems } from '../page/form.ts'
import { notice, summary } from '../page/parts.ts'
import { PRODUCTS, type Words } from '../page/route.ts'
import { DATA_PREFIX, getInputName, parseData } from '../product-data/form-data.ts'
import { hasFormInput } from '../product-data/form-fields.ts'
import { getInputLabel } from '../product-data/labels.ts'
import { removeBlankRows } from '../product-data/list-rows.ts'
import { explainProblem, findGtinHolder } from '../product-data/problem-sentence.ts'

export const DATA_FORM_SCRIPTS = ['languages', 'sums', DRAFTS_MODULE]

/** `holder`: ID of the own product that already uses the typed GTIN. */
export type DataFormState = { form: PostedForm; problems: Problems; message?: string; holder?: string }

/** `data`: parsed from `form`; `unclear`: problems of ambiguous values by input name. */
export type SubmittedData = {
  form: PostedForm
  fields: readonly Field[]
  data: DataObject
  unclear: Problems
}

export function parseSubmittedData(
  words: Words,
  fields: readonly Field[],
  sent: PostedForm,
  was: DataObject,
): SubmittedData {
  const form = removeBlankRows(fields, sent, DATA_PREFIX)
  const { data, problems } = parseData(fields, form, { words, was })
  return { form, fields, data, unclear: problems }
}

export const getFormStatus = ({ problems, message }: Omit<DataFormState, 'form'>) =>
  isFine(problems) && message === undefined ? 200 : 422

export function renderProblems(
  words: Words,
  { problems, message, holder }: Omit<DataFormState, 'form'>,
): string {
  const labels = Object.fromEntries(Object.keys(problems).map(name => [name, getInputLabel(words, name)]))
  const told = isFine(problems) ? notice(message) : summary(words.texts, problems, labels)
  if (holder === undefined) return told
  return html`!${told}<p><a class="alone" href="${PRODUCTS}/${holder}">${words.texts.products.gtinHolder}</a></p>`
}

/**
 * Turns the error of a create or update into problems by input; an error without a field becomes the message.
 * Ambiguous texts were passed on as typed, so that all errors come at once; the form then shows why they are
 * ambiguous.
 */
export function collectProblems(
  words: Words,
  error: unknown,
  { fields, unclear }: Pick<SubmittedData, 'fields' | 'unclear'>,
): Omit<DataFormState, 'form'> {
  if (!(error instanceof AppError) || error.code === 'not_found') throw error
  const problems: Record<string, string> = {}
  const loose: string[] = []
  for (const detail of expandMissingGroups(fields, error.details ?? [])) {
    const name = hasFormInput(fields, detail) ? getInputName(detail) : ''
    if (name === '') loose.push(explainProblem(words, detail))
    else problems[name] ??= unclear[name] ?? explainProblem(words, detail)
  }
  const isAboutFields = !isFine(problems)
  const holder = findGtinHolder(error.details)
  return {
    problems,
    ...(isAboutFields && loose.length === 0 ? {} : { message: loose[0] ?? error.message }),
    ...(holder === undefined ? {} : { holder }),
  }
}

/** Replaces a missing group by its required fields, so that the form shows at once which are needed. */
const expandMissingGroups = (fields: readonly Field[], details: readonly Detail[]): Detail[] =>
  details.flatMap(detail => {
    const field =
      detail[TRANSLATION]?.key === 'missing'
        ? fields.find(one => one.name === formatField(detail.path))
        : undefined
    return field === undefined ? [detail] : listRequiredMembers(field, detail)
  })

/** The form shows a required list with one row, so the problems belong to that row. */
function listRequiredMembers(field: Field, detail: Detail): Detail[] {
  const isRows = field.type === 'list' && field.of?.[0]?.name !== ''
  const members = (field.type === 'object' ? field.fields : isRows ? field.of : undefined) ?? []
  const inner = members.filter(one => one.required)
  if (field.localized || inner.length === 0) return [detail]
  const at = isRows ? [...detail.path, 0] : detail.path
  const { key, facts } = problem('missing_in', { parent: formatField(at) })
  return inner.flatMap(one =>
    listRequiredMembers(one, { ...detail, path: [...at, one.name], [TRANSLATION]: { key, facts } }),
  )
}
