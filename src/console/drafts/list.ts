/** The list of drafts, with search and pages. */
import { html } from 'ghtml'
import { type JudgedDraft, judgeDrafts, reportDraft } from '../../passports/drafts/draft.ts'
import { searchDrafts } from '../../passports/drafts/search-drafts.ts'
import { type ReadinessReport, readReportBasis } from '../../passports/readiness/report-passport.ts'
import { getSearchText } from '../page/form.ts'
import { backLink, doneNotice, rowList } from '../page/parts.ts'
import { DRAFTS, type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { renderPagination } from '../product-data/pagination.ts'
import { getActTexts } from '../product-data/rule-texts.ts'
import { describeScore } from '../readiness/act-parts.ts'
import { getDraftUrl } from './requested-draft.ts'
import { describeKind, getDraftName } from './words.ts'

const PAGE_SIZE = 25
const MAX_SEARCH_LENGTH = 200

export async function showDrafts({ ctx, words, query, session }: Visit): Promise<Outcome> {
  const texts = words.texts.drafts
  const q = getSearchText(query, 'q', MAX_SEARCH_LENGTH)
  const page = /^[1-9]\d{0,3}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  const { drafts, total } = await searchDrafts(ctx, { q, page, limit: PAGE_SIZE })
  const basis = await readReportBasis(ctx)
  const lines = (await judgeDrafts(ctx, drafts)).map(judged =>
    renderDraft(words, judged, listScores(words, reportDraft(ctx, basis, judged))),
  )
  const create =
    session.role === 'viewer'
      ? ''
      : html`<a class="button" href="${PRODUCTS}/new">${words.texts.products.newProduct}</a>`
  const none = html`<p class="empty">${q === '' ? texts.none : words.texts.products.nothingFound}</p>`
  const found = { rows: drafts, total, totalCapped: false }
  const more = renderPagination(words, {
    place: { page },
    found,
    size: PAGE_SIZE,
    byNumber: true,
    address: place => getListUrl(q, place.page),
  })
  const body = html`!${backLink(PRODUCTS, words.texts.products.products)}<div class="page-head"><h1>${texts.title}</h1>!${create}</div>!${query.has('discarded') ? doneNotice(texts.discarded) : ''}<p class="lead">${texts.lead}</p>
!${total === 0 && q === '' ? '' : renderSearch(words, q)}!${lines.length === 0 ? none : html`<p class="quiet">${texts.found({ count: total })}</p>!${rowList(lines)}`}!${more}`
  return { title: texts.title, body }
}

const getListUrl = (q: string, page: number): string => {
  const sent = new URLSearchParams({
    ...(q === '' ? {} : { q }),
    ...(page === 1 ? {} : { page: String(page) }),
  })
  return sent.size === 0 ? DRAFTS : `${DRAFTS}?${sent}`
}

const renderSearch = ({ texts: { products, drafts } }: Words, q: string): string =>
  html`<form method="get" action="${DRAFTS}" class="filters" role="search"><div class="field grow"><label for="q">${products.search}</label><input id="q" name="q" type="search" value="${q}" maxlength="${MAX_SEARCH_LENGTH}" placeholder="${drafts.searchHint}" autocomplete="off"></div><button class="second">${products.show}</button></form>`

/** Such as "Battery passport: 13 of 32, 40%"; of acts in force. */
const listScores = (words: Words, { acts }: ReadinessReport): string[] =>
  acts.flatMap(act =>
    'scope' in act && act.status === 'in_force'
      ? [`${getActTexts(words, { id: act.act, title: act.title }).title}: ${describeScore(words, act)}`]
      : [],
  )

function renderDraft(words: Words, draft: JudgedDraft, scores: readonly string[]): string {
  const texts = words.texts.drafts
  const { productName, sku } = draft.planned.data
  const facts = [
    ...(typeof sku === 'string' ? [sku] : []),
    getCategoryName(words, draft.category),
    describeKind(words, draft),
    words.date(draft.updated_at.toISOString()),
  ]
  const state =
    draft.details.length === 0 ? texts.publishable : texts.refused({ count: draft.details.length })
  return html`<li><a class="row-link" href="${getDraftUrl(draft)}">${getDraftName(words, productName)}</a><span class="quiet">${facts.join(' · ')}</span><span class="quiet">${[state, ...scores].join(' · ')}</span></li>`
}
