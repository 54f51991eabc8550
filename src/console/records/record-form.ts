/** Draws the form of a record from the table of its members. */
import { html } from 'ghtml'
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { formatLanguage } from '../../i18n/format.ts'
import type { MemberOfRecord } from '../../records/record.ts'
import { isFine, type Problems } from '../page/form.ts'
import {
  backLink,
  defaultButton,
  described,
  input,
  notes,
  renderTick,
  select,
  summary,
} from '../page/parts.ts'
import type { ConsolePage, Words } from '../page/route.ts'
import { sortOptions } from '../product-data/labels.ts'
import { listTexts, type TextRow, type TypedRecord } from './read-form.ts'
import type { RecordPage } from './record-page.ts'

type Shown = { typed: TypedRecord; id?: string | undefined; problems?: Problems }

export function showRecordForm(
  words: Words,
  page: RecordPage,
  { typed, id, problems = {} }: Shown,
): ConsolePage {
  const texts = page.readTexts(words.texts)
  const { address, order, store } = page
  const blank: TextRow = { language: '', texts: {} }
  const rows = [...typed.rows, ...Array.from({ length: typed.blankRows }, () => blank)]
  const title = id === undefined ? texts.addTitle : texts.editTitle
  const action = id === undefined ? address : `${address}/${id}`
  const [firstTexts] = listTexts(page)
  const controls = order.map(name => {
    const member = store.type.members[name]
    if (member === undefined) throw new Error(`${store.type.id} has no member ${name}`)
    if (member.type !== 'texts') return renderControl(words, page, { name, member, typed, problems })
    return name === firstTexts ? renderTexts(words, page, rows, problems) : ''
  })
  const body = html`!${backLink(address, texts.title)}<h1>${title}</h1>
!${summary(words.texts, problems, listLabels(words, page, rows.length))}<form method="post" action="${action}" novalidate class="data">!${defaultButton(texts.save)}
!${controls}
<button>${texts.save}</button></form>`
  return { title, body, status: isFine(problems) ? 200 : 422 }
}

function listLabels(words: Words, page: RecordPage, rows: number): Readonly<Record<string, string>> {
  const { members } = page.readTexts(words.texts)
  const ofRows = Array.from({ length: rows }, (_, i) => [
    [`language-${i}`, words.texts.records.language],
    ...listTexts(page).map(name => [`${name}-${i}`, members[name] ?? name]),
  ]).flat()
  return { ...members, ...Object.fromEntries(ofRows) }
}

type Control = { name: string; member: MemberOfRecord; typed: TypedRecord; problems: Problems }

function renderControl(words: Words, page: RecordPage, control: Control): string {
  const { name, member, typed, problems } = control
  const { members, hints } = page.readTexts(words.texts)
  const label = members[name] ?? name
  const hint = hints[name] || undefined
  const value = typed.fields[name] ?? ''
  const field = { name, label, hint, value, isOptional: member.required !== true }
  switch (member.type) {
    case 'choice': {
      const values = member.required ? member.values : ['', ...member.values]
      const options = values.map(one => [one, page.nameChoice(words, name, one)] as const)
      return select({ name, label, hint, value, options }, problems)
    }
    case 'text':
      return html`<div class="field"><label for="${name}">${label}</label>!${notes(field, problems)}
<textarea id="${name}" name="${name}" rows="4" maxlength="${member.max}"!${described(field, problems)}>
${value}</textarea></div>`
    case 'flag':
      return renderTick(name, label, { isOn: value === 'true' || value === 'on', ...(hint && { hint }) })
    case 'link':
      return input({ ...field, type: 'url' }, problems)
    case 'day':
      return input({ ...field, type: 'date' }, problems)
    case 'line':
      return input({ ...field, maxLength: member.max }, problems)
    default:
      return input(field, problems)
  }
}

const renderTexts = (words: Words, page: RecordPage, rows: readonly TextRow[], problems: Problems): string =>
  html`!${rows.map((row, i) => renderRow(words, page, { row, i }, problems))}
<p><button class="second" name="more" value="1">${words.texts.records.more}</button></p>`

/** The fields of all rows have the same names, and ids of their own. */
function renderRow(
  words: Words,
  page: RecordPage,
  { row, i }: { row: TextRow; i: number },
  problems: Problems,
): string {
  const { records, products } = words.texts
  const { members, hints } = page.readTexts(words.texts)
  const known: readonly string[] = LANGUAGES.map(({ code }) => code)
  const tags = row.language === '' || known.includes(row.language) ? known : [row.language, ...known]
  const languages = sortOptions(words.language, tags, tag => formatLanguage(words.language, tag))
  const options = [...(row.language === '' ? [['', products.choose] as const] : []), ...languages]
  const shareName = (name: string, field: string) =>
    field.replaceAll(` name="${name}-${i}"`, ` name="${name}"`)
  const language = { name: `language-${i}`, label: records.language, value: row.language, options }
  const inputs = listTexts(page).map(name => {
    const member = page.store.type.members[name]
    const field = {
      name: `${name}-${i}`,
      label: members[name] ?? name,
      hint: hints[name] || undefined,
      value: row.texts[name] ?? '',
      language: row.language,
      isOptional: i > 0 || member?.required !== true,
      ...(member?.type === 'texts' && { maxLength: member.max }),
    }
    return shareName(name, input(field, problems))
  })
  return html`<fieldset><legend>${records.textsIn}</legend>!${shareName('language', select(language, problems))}!${inputs}</fieldset>`
}
