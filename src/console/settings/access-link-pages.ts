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
import type { ConsolePage, SignedInVisit } from '../page/route.ts'
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

export function linksPage({ words, session }: SignedInVisit, shown: Shown): ConsolePage {
  const { texts } = words
  const { inUse, ended, names, problems } = shown
  const mayEdit = session.role !== 'viewer'
  const rows = inUse.map(link => row(words, link, names, mayEdit))
  const list =
    rows.length === 0 ? html`<p>${texts.accessLinks.none}</p>` : html`<ul class="rows">!${rows}</ul>`
  const labels = {
    label: texts.accessLinks.label,
    audience: texts.accessLinks.audience,
    product: texts.accessLinks.product,
    ends: texts.accessLinks.ends,
  }
  const body = html`!${backToSettings(words)}<h1>${texts.accessLinks.title}</h1><p class="lead">${texts.accessLinks.lead}</p>
!${summary(words.texts, problems, labels)}!${list}!${ended.length === 0 ? '' : endedLinks(words, ended)}
!${mayEdit ? newLinkForm(words, shown) : ''}`
  return { title: texts.accessLinks.title, body, status: isFine(problems) ? 200 : 422 }
}

function row(
  words: Words,
  link: AccessLinkRecord,
  names: ReadonlyMap<string, string>,
  mayRevoke: boolean,
): string {
  const { texts } = words
  const revoke = html`<a class="action" href="${LINKS}/${link.id}/revoke">${texts.accessLinks.revoke}<span class="sight"> ${link.label}</span></a>`
  const product =
    link.passport_id === null
      ? html`${texts.accessLinks.allProducts}`
      : html`<a href="${PRODUCTS}/${link.passport_id}">${names.get(link.passport_id) ?? link.passport_id}</a>`
  return html`<li class="key"><div class="key-head"><h2>${link.label}</h2>!${mayRevoke ? revoke : ''}</div>
<dl class="pairs"><dt>${texts.accessLinks.audience}</dt><dd>${texts.accessLinks.audiences[link.audience]}</dd>
<dt>${texts.accessLinks.product}</dt><dd>!${product}</dd>
<dt>${texts.accessLinks.until}</dt><dd>${words.minute(link.expires_at)}</dd>
<dt>${texts.accessLinks.uses}</dt><dd>${uses(words, link)}</dd>
<dt>${texts.accessLinks.created}</dt><dd>${texts.accessLinks.createdBy({ date: words.date(link.created_at), who: link.created_by })}</dd></dl></li>`
}

function uses(words: Words, { uses: count, last_used_at: last }: AccessLinkRecord): string {
  const { texts } = words
  if (count === 0 || last === null) return texts.accessLinks.unused
  return texts.accessLinks.used({ count, time: words.minute(last) })
}

function endedLinks(words: Words, ended: readonly AccessLinkRecord[]): string {
  const { texts } = words
  const shown = ended.slice(0, MAX_ENDED_SHOWN)
  const rows = shown.map(link => {
    const end =
      link.revoked_at === null
        ? texts.accessLinks.expired({ date: words.date(link.expires_at) })
        : texts.accessLinks.revoked({ date: words.date(link.revoked_at) })
    return html`<li><span>${link.label}</span> <span class="quiet">${texts.accessLinks.audiences[link.audience]} · ${end} · ${texts.accessLinks.uses}: ${uses(words, link)}</span></li>`
  })
  const more = texts.accessLinks.endedMore({
    shown: words.number(shown.length),
    all: words.number(ended.length),
  })
  return html`<details><summary>${texts.accessLinks.ended({ count: words.number(ended.length) })}</summary><ul class="rows">!${rows}</ul>
!${shown.length === ended.length ? '' : html`<p class="quiet">${more}</p>`}</details>`
}

function newLinkForm(words: Words, { typed, problems, today }: Shown): string {
  const { texts } = words
  const label = {
    name: 'label',
    label: texts.accessLinks.label,
    hint: texts.accessLinks.labelHint,
    value: typed.label,
    autocomplete: 'off',
    maxLength: LINK_LABEL_LENGTH_MAX,
  }
  const options = LINK_AUDIENCES.map(one => [one, texts.accessLinks.audiences[one]] as const)
  const audience = { name: 'audience', label: texts.accessLinks.audience, value: typed.audience, options }
  const product = {
    name: 'product',
    label: texts.accessLinks.product,
    hint: texts.accessLinks.productHint,
    value: typed.product,
    autocomplete: 'off',
    isOptional: true,
  }
  const ends = {
    name: 'ends',
    label: texts.accessLinks.ends,
    hint: texts.accessLinks.endsHint,
    type: 'date',
    value: typed.ends,
    min: today,
    autocomplete: 'off',
  } as const
  return html`<section aria-labelledby="new"><h2 id="new">${texts.accessLinks.new}</h2>
<form method="post" action="${LINKS}" novalidate class="narrow">
!${input(label, problems)}!${select(audience, problems)}!${input(product, problems)}!${input(ends, problems)}
<button>${texts.accessLinks.create}</button></form></section>`
}

/** The only page that ever shows the token. */
export function linkPage(words: Words, link: CreatedAccessLink): ConsolePage {
  const { texts } = words
  const field =
    link.url === null
      ? {
          name: 'token',
          label: texts.accessLinks.token,
          hint: texts.accessLinks.tokenHint,
          value: link.token,
          rows: 2,
        }
      : { name: 'token', label: texts.accessLinks.link, value: link.url, rows: 3 }
  const body = html`<h1>${texts.accessLinks.shownTitle}</h1><p class="lead">${texts.accessLinks.shownLead}</p>
<dl class="facts"><div><dt>${texts.accessLinks.label}</dt><dd>${link.label}</dd></div>
<div><dt>${texts.accessLinks.audience}</dt><dd>${texts.accessLinks.audiences[link.audience]}</dd></div>
<div><dt>${texts.accessLinks.until}</dt><dd>${words.minute(link.expires_at)}</dd></div></dl>
!${copyable(words.texts, field)}<p><a class="button" href="${LINKS}">${texts.accessLinks.done}</a></p>`
  return { title: texts.accessLinks.shownTitle, body, scripts: ['copy'] }
}

export function revokeLinkPage(words: Words, link: AccessLinkRecord): ConsolePage {
  const { texts } = words
  const title = texts.accessLinks.revokeTitle({ label: link.label })
  const body = html`<h1>${title}</h1><p class="lead">${texts.accessLinks.revokeLead}</p>
<form method="post" action="${LINKS}/${link.id}/revoke" class="choices">
<button class="danger">${texts.accessLinks.revoke}</button> <a class="button second" href="${LINKS}">${texts.people.keep}</a></form>`
  return { title, body }
}
