/** How the pages about access links look. */
import { html } from 'ghtml'
import {
  type AccessLinkRecord,
  type CreatedAccessLink,
  LINK_AUDIENCES,
} from '../../passports/access/access-links.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { copyable, input, select, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import { rowList } from '../page/parts.ts'
import type { ConsolePage, Visit } from '../page/route.ts'
import type { Words } from '../page/words.ts'
import { backToSettings, LINKS } from './places.ts'

export const LINK_LABEL_LENGTH_MAX = 200
const MAX_ENDED_SHOWN = 25

/** `ends` is a day as `YYYY-MM-DD`. */
export type NewLinkForm = { label: string; audience: string; product: string; ends: string }

type Shown = {
  inUse: readonly AccessLinkRecord[]
  ended: readonly AccessLinkRecord[]
  /** By the id of the passport. */
  names: ReadonlyMap<string, string>
  typed: NewLinkForm
  problems: Problems
  today: string
}

export function linksPage({ words, session }: Visit, shown: Shown): ConsolePage {
  const texts = words.texts.accessLinks
  const { inUse, ended, names, problems } = shown
  const mayEdit = session.role !== 'viewer'
  const rows = inUse.map(link => row(words, link, names, mayEdit))
  const list = rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)
  const labels = {
    label: texts.label,
    audience: texts.audience,
    product: texts.product,
    ends: texts.ends,
  }
  const body = html`!${backToSettings(words)}<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${summary(words.texts, problems, labels)}!${list}!${ended.length === 0 ? '' : endedLinks(words, ended)}
!${mayEdit ? newLinkForm(words, shown) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function row(
  words: Words,
  link: AccessLinkRecord,
  names: ReadonlyMap<string, string>,
  mayRevoke: boolean,
): string {
  const texts = words.texts.accessLinks
  const revoke = html`<a class="action" href="${LINKS}/${link.id}/revoke">${texts.revoke}<span class="sight"> ${link.label}</span></a>`
  const product =
    link.passport_id === null
      ? html`${texts.allProducts}`
      : html`<a href="${PRODUCTS}/${link.passport_id}">${names.get(link.passport_id) ?? link.passport_id}</a>`
  return html`<li class="key"><div class="key-head"><h2>${link.label}</h2>!${mayRevoke ? revoke : ''}</div>
<dl class="pairs"><dt>${texts.audience}</dt><dd>${texts.audiences[link.audience]}</dd>
<dt>${texts.product}</dt><dd>!${product}</dd>
<dt>${texts.until}</dt><dd>${words.minute(link.expires_at)}</dd>
<dt>${texts.uses}</dt><dd>${uses(words, link)}</dd>
<dt>${texts.created}</dt><dd>${texts.createdBy({ date: words.date(link.created_at), who: link.created_by })}</dd></dl></li>`
}

function uses(words: Words, { uses: count, last_used_at: last }: AccessLinkRecord): string {
  const texts = words.texts.accessLinks
  if (count === 0 || last === null) return texts.unused
  return texts.used({ count, time: words.minute(last) })
}

function endedLinks(words: Words, ended: readonly AccessLinkRecord[]): string {
  const texts = words.texts.accessLinks
  const shown = ended.slice(0, MAX_ENDED_SHOWN)
  const rows = shown.map(link => {
    const end =
      link.revoked_at === null
        ? texts.expired({ date: words.date(link.expires_at) })
        : texts.revoked({ date: words.date(link.revoked_at) })
    return html`<li><span>${link.label}</span> <span class="quiet">${texts.audiences[link.audience]} · ${end} · ${texts.uses}: ${uses(words, link)}</span></li>`
  })
  const more = texts.endedMore({
    shown: shown.length,
    all: ended.length,
  })
  return html`<details><summary>${texts.ended({ count: ended.length })}</summary>!${rowList(rows)}
!${shown.length === ended.length ? '' : html`<p class="quiet">${more}</p>`}</details>`
}

function newLinkForm(words: Words, { typed, problems, today }: Shown): string {
  const texts = words.texts.accessLinks
  const label = {
    name: 'label',
    label: texts.label,
    hint: texts.labelHint,
    value: typed.label,
    autocomplete: 'off',
    maxLength: LINK_LABEL_LENGTH_MAX,
  }
  const options = LINK_AUDIENCES.map(one => [one, texts.audiences[one]] as const)
  const audience = { name: 'audience', label: texts.audience, value: typed.audience, options }
  const product = {
    name: 'product',
    label: texts.product,
    hint: texts.productHint,
    value: typed.product,
    autocomplete: 'off',
    isOptional: true,
  }
  const ends = {
    name: 'ends',
    label: texts.ends,
    hint: texts.endsHint,
    type: 'date',
    value: typed.ends,
    min: today,
    autocomplete: 'off',
  } as const
  return html`<section aria-labelledby="new"><h2 id="new">${texts.new}</h2>
<form method="post" action="${LINKS}" novalidate class="narrow">
!${input(label, problems)}!${select(audience, problems)}!${input(product, problems)}!${input(ends, problems)}
<button>${texts.create}</button></form></section>`
}

/** The only page that ever shows the token. */
export function linkPage(words: Words, link: CreatedAccessLink): ConsolePage {
  const texts = words.texts.accessLinks
  const field =
    link.url === null
      ? {
          name: 'token',
          label: texts.token,
          hint: texts.tokenHint,
          value: link.token,
          rows: 2,
        }
      : { name: 'token', label: texts.link, value: link.url, rows: 3 }
  const body = html`<h1>${texts.shownTitle}</h1><p class="lead">${texts.shownLead}</p>
<dl class="facts"><div><dt>${texts.label}</dt><dd>${link.label}</dd></div>
<div><dt>${texts.audience}</dt><dd>${texts.audiences[link.audience]}</dd></div>
<div><dt>${texts.until}</dt><dd>${words.minute(link.expires_at)}</dd></div></dl>
!${copyable(words.texts, field)}<p><a class="button" href="${LINKS}">${texts.done}</a></p>`
  return { title: texts.shownTitle, body, scripts: ['copy'] }
}

export function revokeLinkPage(words: Words, link: AccessLinkRecord): ConsolePage {
  const texts = words.texts.accessLinks
  const title = texts.revokeTitle({ label: link.label })
  const body = html`<h1>${title}</h1><p class="lead">${texts.revokeLead}</p>
<form method="post" action="${LINKS}/${link.id}/revoke" class="choices">
<button class="danger">${texts.revoke}</button> <a class="button second" href="${LINKS}">${words.texts.people.keep}</a></form>`
  return { title, body }
}
