/** The page of a product’s recall: the notice, its form with a preview and a question, and its changes. */
import { html } from 'ghtml'
import { formatLanguage } from '../../i18n/format.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { RecallNotice } from '../../passports/core/recalls.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import { getPrimaryLanguage } from '../../passports/read/build-reading.ts'
import { atPassport } from '../../passports/read/find.ts'
import { MAX_COUNTED } from '../../passports/read/list.ts'
import { countUnitsUnder } from '../../passports/read/list-units.ts'
import {
  findRecall,
  listRecallChanges,
  type Recall,
  type RecallChange,
} from '../../passports/recalls/read-recall.ts'
import { endRecall, setRecall } from '../../passports/recalls/set-recall.ts'
import type { PostedForm } from '../page/form.ts'
import {
  alertBox,
  doneNotice,
  facts,
  hiddenInputs,
  pointList,
  questionPage,
  rowList,
  section,
} from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import {
  backToProduct,
  getProductTitle,
  getProductUrl,
  getRequestedProduct,
} from '../product-data/product.ts'
import {
  listFormLanguages,
  type NoticeForm,
  readNoticeForm,
  renderNoticeForm,
  toNoticeForm,
} from './notice-form.ts'

const MAX_CHANGES = 50
const DONE = ['set', 'changed', 'ended'] as const

type Requested = { state: PassportState; recall: Recall | undefined; primary: string; isInForce: boolean }

async function getRequested(visit: Visit): Promise<Requested> {
  const state = await getRequestedProduct(visit)
  const recall = await findRecall(await atPassport(visit.ctx, state.row.id), state.row.id)
  const isInForce = recall !== undefined && recall.kind !== 'e'
  return { state, recall, isInForce, primary: getPrimaryLanguage(effectiveData(state)) }
}

const getRecallUrl = ({ row }: PassportState) => `${getProductUrl(row)}/recall`

export async function showRecall(visit: Visit): Promise<Outcome> {
  const requested = await getRequested(visit)
  return renderPage(visit, requested, {})
}

type Typed = { form?: PostedForm; problems?: NoticeForm['problems']; refusal?: string }

async function renderPage(
  visit: Visit,
  requested: Requested,
  { form, problems = {}, refusal }: Typed,
): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const { state, recall, isInForce, primary } = requested
  const texts = words.texts.recalls
  const [changes, reach] = await Promise.all([
    listRecallChanges(ctx, state.row.id, MAX_CHANGES),
    describeReach(visit, state),
  ])
  const title = texts.titleOf({ name: getProductTitle(words, state) })
  const done = DONE.find(one => one === query.get('done'))
  const told = done === undefined ? '' : doneNotice(texts.done[done])
  const body = html`!${backToProduct(words, state)}<h1>${title}</h1>!${refusal === undefined ? told : alertBox(html`<p>${refusal}</p>`)}
!${renderState(words, requested)}!${session.role === 'viewer' ? '' : renderEditor()}
!${changes.length === 0 ? '' : section('changes', texts.changes, rowList(changes.map(one => renderChange(words, one))))}`
  const isFine = refusal === undefined && Object.keys(problems).length === 0
  return { title, body, status: isFine ? 200 : 422 }

  function renderEditor(): string {
    const shown = form ?? toNoticeForm(isInForce ? recall?.notice : undefined)
    const languages = listFormLanguages(effectiveData(state), primary, shown)
    const drawing = {
      action: getRecallUrl(state),
      form: shown,
      languages,
      problems,
      base: recall?.number ?? 0,
    }
    const heading = isInForce ? texts.change : texts.set
    return section('notice', heading, pointList([...texts.points, reach]) + renderNoticeForm(words, drawing))
  }
}

/** How many products get the notice on their page. */
async function describeReach({ ctx, words }: Visit, { row }: PassportState): Promise<string> {
  const texts = words.texts.recalls
  if (row.level === 'i') return texts.reachItem
  const { batches, items } = await countUnitsUnder(await atPassport(ctx, row.id), row, MAX_COUNTED)
  if (items > MAX_COUNTED || batches > MAX_COUNTED) return texts.reachMany({ count: MAX_COUNTED })
  const own = row.level === 'm' ? texts.reachModel : texts.reachBatch
  const levels = words.texts.productList
  const below = [
    batches === 0 ? [] : levels.batches({ count: batches }),
    items === 0 ? [] : levels.items({ count: items }),
  ].flat()
  if (below.length === 0) return own
  return `${own} ${texts.reachUnits({ what: new Intl.ListFormat(words.language).format(below) })}`
}

function renderState(words: Words, { state, recall, isInForce }: Requested): string {
  const texts = words.texts.recalls
  if (recall === undefined) return html`<p class="lead">${texts.none}</p>`
  const date = words.minute(recall.changed_at.toISOString())
  if (!isInForce) return html`<p class="lead">${texts.endedOn({ date })}</p>`
  const page = html`<a class="button second" href="/p/${visitId(state)}" target="_blank" rel="noopener">${words.texts.products.openPage}</a>`
  return html`<p class="lead"><strong>${texts.inForce({ date: words.date(recall.notice.from) })}</strong></p><div class="choices">!${page} <a class="button danger" href="${getRecallUrl(state)}/end">${texts.end}</a></div>`
}

const visitId = ({ row }: PassportState) => getProductUrl(row).split('/').at(-1) ?? ''

function renderChange(words: Words, { number, kind, notice, changed_at, changedBy }: RecallChange): string {
  const texts = words.texts.recalls
  const about = html`<span class="quiet">${words.minute(changed_at.toISOString())}, ${changedBy}</span>`
  const shown =
    kind === 'e'
      ? ''
      : html`<details class="fold-small"><summary>${texts.seeTexts}</summary>!${renderPreview(words, notice)}</details>`
  return html`<li><strong>${texts.changeKinds[kind]}</strong> <span class="quiet">${number}</span> !${about}!${shown}</li>`
}

/** Shows the notice in each language, without the texts around it. */
function renderPreview(words: Words, { hazard, action, url, contact, from }: RecallNotice): string {
  const texts = words.texts.recalls
  const tags = [...new Set([...Object.keys(hazard), ...Object.keys(action)])]
  const languages = tags.map(tag => {
    const lines = [
      [texts.hazard, hazard[tag]],
      [texts.action, action[tag]],
    ] as const
    const shown = lines.map(([label, text]) =>
      text === undefined
        ? html`<p><strong>${label}</strong></p><p class="quiet">${texts.notInLanguage}</p>`
        : html`<p><strong>${label}</strong></p><p class="text" lang="${tag}" dir="auto">${text}</p>`,
    )
    return html`<h3>${formatLanguage(words.language, tag)}</h3>!${shown}`
  })
  const more: (readonly [string, string])[] = [
    [texts.from, words.date(from)],
    ...(contact === null ? [] : [[texts.contact, contact] as const]),
    ...(url === null ? [] : [[texts.url, url] as const]),
  ]
  return html`<div class="recall-preview">!${languages}!${facts(more)}</div>`
}

/** Without the button of the question: checks the texts, and shows them with the question. */
export async function submitRecall(visit: Visit): Promise<Outcome> {
  const { ctx, form, words } = visit
  const texts = words.texts.recalls
  const requested = await getRequested(visit)
  const { state, primary } = requested
  const base = Number(/^\d{1,9}$/.exec(form.text('base'))?.[0] ?? 0)
  if (form.text('step') === 'edit') return renderPage(visit, requested, { form })
  const { notice, problems } = readNoticeForm(words, form, { primary, now: ctx.clock.now() })
  if (notice === undefined) return renderPage(visit, requested, { form, problems })
  if ((requested.recall?.number ?? 0) !== base)
    return renderPage(visit, requested, { form, refusal: texts.conflict })
  if (form.text('step') !== 'publish') return renderQuestion(visit, requested, notice)
  try {
    const expects = (current: Recall | undefined) => (current?.number ?? 0) === base
    const { isNew } = await setRecall(ctx, { uuid: state.row.id, notice, expects })
    return { to: `${getRecallUrl(state)}?done=${isNew ? 'set' : 'changed'}` }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'version_conflict') throw error
    return renderPage(visit, await getRequested(visit), { form, refusal: texts.conflict })
  }
}

async function renderQuestion(
  visit: Visit,
  { state, isInForce }: Requested,
  notice: RecallNotice,
): Promise<Outcome> {
  const { words, form } = visit
  const texts = words.texts.recalls
  const title = isInForce ? texts.changeQuestion : texts.setQuestion
  const reach = await describeReach(visit, state)
  const kept = form.entries().filter(([name]) => name !== 'step')
  const body = html`!${backToProduct(words, state)}<h1>${title}</h1><p class="lead">${getProductTitle(words, state)}</p><p class="reach wrong"><strong>${reach}</strong> ${texts.atOnce}</p>
!${section('preview', texts.preview, renderPreview(words, notice))}
<form method="post" action="${getRecallUrl(state)}" class="choices">!${hiddenInputs(kept)}<button class="danger" name="step" value="publish">${isInForce ? texts.publishChange : texts.publish}</button> <button class="second" name="step" value="edit">${texts.backToForm}</button></form>`
  return { title, body }
}

export async function showEndRecall(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const { state, isInForce } = await getRequested(visit)
  const { endQuestion: title, endPoints, endSubmit: submit, keep } = words.texts.recalls
  const back = getRecallUrl(state)
  if (!isInForce) return { to: back }
  const about = html`<p class="lead">${getProductTitle(words, state)}</p>!${pointList([...endPoints, await describeReach(visit, state)])}`
  return questionPage({
    title,
    way: backToProduct(words, state),
    about,
    submit,
    keep,
    action: `${back}/end`,
    back,
  })
}

export async function submitEndRecall(visit: Visit): Promise<Outcome> {
  const { state, isInForce } = await getRequested(visit)
  const to = getRecallUrl(state)
  if (!isInForce) return { to }
  await endRecall(visit.ctx, { uuid: state.row.id, expects: () => true })
  return { to: `${to}?done=ended` }
}
