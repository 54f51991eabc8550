/** HTML parts that pages share, and the parts of forms. Arguments named `content` or `about` are HTML. */
import { html } from 'ghtml'
import type { Problems } from './form.ts'
import type { ConsolePage } from './route.ts'
import type { Texts } from './texts.ts'

/** The link back, above a heading. */
export const backLink = (to: string, name: string) =>
  html`<p class="way"><a class="alone" href="${to}">${name}</a></p>`

export const section = (id: string, title: string, content: string | readonly string[]) =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>!${content}</section>`

/** The notice about the action just done. */
export const doneNotice = (sentence: string) => html`<p class="reach" role="status">${sentence}</p>`

export const rowList = (rows: readonly string[]) => html`<ul class="rows">!${rows}</ul>`

/** An entry of a list that leads to a page. */
export const linkRow = (to: string, name: string, hint: string) =>
  html`<li><a class="row-link" href="${to}">${name}</a><span class="quiet">${hint}</span></li>`

export const pointList = (points: readonly string[]) =>
  html`<ul class="points">!${points.map(point => html`<li>${point}</li>`)}</ul>`

/** A list of names and values. */
export const facts = (lines: readonly (readonly [string, string])[], more = '') =>
  html`<dl class="facts">!${lines.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}!${more}</dl>`

export const hiddenInputs = (entries: readonly (readonly [name: string, value: string])[]) =>
  entries.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A table that scrolls sideways in a narrow window. */
export const wideTable = (
  { label, kind, heads }: { label: string; kind: string; heads: readonly string[] },
  lines: readonly string[],
) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}"><thead><tr>!${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>!${lines}</tbody></table></div>`

type Question = {
  title: string
  /** The title as HTML, if a part of it is in another language. */
  heading?: string
  /** A link back, above the heading. */
  way?: string
  about: string
  action: string
  submit: string
  back: string
  keep: string
  isHarmless?: boolean
}

export function questionPage(asked: Question): ConsolePage {
  const { title, heading = html`${title}`, way = '', about, action, submit, back, keep, isHarmless } = asked
  const body = html`!${way}<h1>!${heading}</h1>!${about}
<form method="post" action="${action}" class="choices">
<button!${isHarmless ? '' : ' class="danger"'}>${submit}</button> <a class="button second" href="${back}">${keep}</a></form>`
  return { title, body }
}

/** Ended entries, newest first and collapsed, because an account may have many. */
export function endedList<T>(
  texts: Pick<Texts['keys'], 'ended' | 'endedMore'>,
  ended: readonly T[],
  row: (one: T) => string,
): string {
  if (ended.length === 0) return ''
  const shown = ended.slice(0, MAX_ENDED_SHOWN)
  const more = texts.endedMore({ shown: shown.length, all: ended.length })
  return html`<details><summary>${texts.ended({ count: ended.length })}</summary>!${rowList(shown.map(row))}
!${shown.length === ended.length ? '' : html`<p class="quiet">${more}</p>`}</details>`
}

/** An account that changes its keys every week has this many after half a year. */
const MAX_ENDED_SHOWN = 25

/** Returns true if a key or an access link is valid at a time. */
export const isInUse = (
  { revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null },
  now: Date,
) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())

type FormField = {
  name: string
  label: string
  hint?: string | undefined
  value?: string
  type?: 'text' | 'email' | 'password' | 'date' | 'url' | 'datetime-local'
  /** HTML's autofill token; `off` if none is given, `current-password` for a password. */
  autocomplete?: string
  maxLength?: number
  minLength?: number
  /** Only for a date. */
  min?: string
  isReadOnly?: boolean
  /** The language of the value. */
  language?: string
  isOptional?: boolean
}

type FieldNotes = { name: string; hint?: string | undefined }

/** A labelled input. The browser checks nothing, so that all errors appear at once, in our words. */
export function input(field: FormField, problems: Problems): string {
  const { name, type = 'text' } = field
  const { autocomplete = type === 'password' ? 'current-password' : 'off' } = field
  const attributes = [
    field.maxLength === undefined ? '' : ` maxlength="${field.maxLength}"`,
    field.min === undefined ? '' : ` min="${field.min}"`,
    field.isReadOnly ? ' readonly' : field.isOptional ? '' : ' required',
    type === 'text' ? '' : ' autocapitalize="none" spellcheck="false"',
    field.language ? html` lang="${field.language}" dir="auto"` : '',
    described(field, problems),
  ].join('')
  const value = field.value === undefined ? '' : html` value="${field.value}"`
  return html`<div class="field"><label for="${name}">${field.label}</label>!${notes(field, problems)}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"!${value}!${attributes}></div>`
}

/** `language`: of a label that is not in the page's language. */
export type Options = readonly (readonly [value: string, label: string, language?: string | undefined])[]

/**
 * HTML needs no end tags here, and no quotes around codes of countries: a form with five lists of countries
 * is 16 kB smaller without them.
 */
export const renderOptions = (options: Options, chosen?: string) =>
  options.map(([value, label, language]) => {
    const attribute = /^[A-Z]{2}$/.test(value) ? value : html`"${value}"`
    return html`<option value=!${attribute}!${value === chosen ? ' selected' : ''}!${language === undefined ? '' : html` lang="${language}"`}>${label}`
  })

/** A labelled choice. The first option is selected unless `value` names another. */
export function select(
  field: Pick<FormField, 'name' | 'label' | 'hint' | 'value'> & {
    options: Options
  },
  problems: Problems,
): string {
  return html`<div class="field"><label for="${field.name}">${field.label}</label>!${notes(field, problems)}
<select id="${field.name}" name="${field.name}"!${described(field, problems)}>!${renderOptions(field.options, field.value)}</select></div>`
}

/** Hint and error stand above the input, because a phone's keyboard covers what is below. */
export function notes({ name, hint }: FieldNotes, problems: Problems): string {
  const error = problems[name]
  const above = hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`
  return above + (error === undefined ? '' : html`<p class="error" id="${name}-error">${error}</p>`)
}

/** The attributes that connect an input with its hint and error. */
export function described({ name, hint }: FieldNotes, problems: Problems): string {
  const isWrong = problems[name] !== undefined
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-error`] : [])]
  return (
    (ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`) +
    (isWrong ? ' aria-invalid="true"' : '')
  )
}

type Tick = { type?: 'checkbox' | 'radio'; name?: string; value?: string; isOn?: boolean; hint?: string }

/** A box to tick, before its label. */
export function renderTick(id: string, label: string, tick: Tick): string {
  const { type = 'checkbox', name = id, value = 'on', isOn = false, hint } = tick
  return html`<div class="check"><input type="${type}" id="${id}" name="${name}" value="${value}"!${isOn ? ' checked' : ''}!${described({ name: id, hint }, {})}><label for="${id}">${label}</label>!${notes({ name: id, hint }, {})}</div>`
}

/**
 * A hidden button at the start of a form with other buttons before its own, because the Enter key presses the
 * first one. The tab key skips it.
 */
export const defaultButton = (text: string) =>
  html`<button class="sight" tabindex="-1" aria-hidden="true">${text}</button>`

/**
 * The list of errors, at the top of the page and focused; each links to its field. `labels` by field name.
 */
export function summary(texts: Texts, problems: Problems, labels: Readonly<Record<string, string>>): string {
  const lines = Object.entries(problems)
  if (lines.length === 0) return ''
  const links = lines.map(
    ([name, sentence]) =>
      html`<li><a class="alone" href="#${name}">${labels[name] ?? name}: ${sentence}</a></li>`,
  )
  return alertBox(html`
<p>${texts.page.problemCount({ count: lines.length })}</p><ul>!${links}</ul>`)
}

/** An alert that gets the focus; `content` is HTML. */
export const alertBox = (content: string) =>
  html`<div class="summary" role="alert" tabindex="-1" autofocus>!${content}</div>`

/** An error that belongs to no single field. */
export const notice = (sentence: string | undefined) =>
  sentence === undefined ? '' : alertBox(html`<p>${sentence}</p>`)

type Copyable = { name: string; label: string; hint?: string; value: string; rows: number }

/** A read-only text to copy: focus selects all of it. */
export const copyable = ({ page }: Texts, field: Copyable) =>
  html`<div class="field"><label for="${field.name}">${field.label}</label>!${notes(field, {})}
<textarea class="copy" id="${field.name}" data-copy="${page.copy}" data-copied="${page.copied}" rows="${field.rows}" readonly spellcheck="false" autocomplete="off"!${described(field, {})}>
${field.value}</textarea></div>`
