/** HTML parts that many pages share. Arguments named `content` or `about` are HTML. */
import { html } from 'ghtml'
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
  const { title, way = '', about, action, submit, back, keep, isHarmless } = asked
  const body = html`!${way}<h1>${title}</h1>!${about}
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

/** Whether a key or an access link is valid at a time. */
export const isInUse = (
  { revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null },
  now: Date,
) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())
