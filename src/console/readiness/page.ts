/** The page of a product's readiness: for each act what is missing, and the way to the form. */
import { html } from 'ghtml'
import { explainGtinKind } from '../../categories/check/explain-gtin.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { TRANSLATION } from '../../kernel/errors/errors.ts'
import { hasGs1Address, LEVEL_NAME } from '../../passports/core/record.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import { listUntpGaps } from '../../passports/documents/untp-gaps.ts'
import { countUnitsUnder } from '../../passports/read/list-units.ts'
import { updatePassport } from '../../passports/write/update.ts'
import { RULE_LEVELS } from '../../readiness/act.ts'
import { getRules } from '../../readiness/rules.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { isFine, type Problems } from '../page/form.ts'
import { described, doneNotice, notes, rowList, section, summary } from '../page/parts.ts'
import { type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { getProductDraftKey, renderSavedDraft } from '../product-data/local-draft.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import {
  backToProduct,
  getProductTitle,
  getRequestedProduct,
  renderDoneNotice,
} from '../product-data/product.ts'
import { getActTexts, getRuleTexts } from '../product-data/rule-texts.ts'
import { describeActState, describeQuestion, describeScore, renderActTitle, renderBar } from './act-parts.ts'
import { describeNothing, listDayLines, listUnitLines, renderDueDays, renderNotWhole } from './coverage.ts'
import {
  findReport,
  GROUPS,
  type Group,
  getFieldUrl,
  getFillUrl,
  getReadinessUrl,
  groupRules,
  type JudgedAct,
  type JudgedRule,
  listFillable,
  listReasons,
  OPEN_GROUPS,
  type ProductReport,
  type UndeterminedAct,
} from './product-report.ts'
import { renderSources } from './sources.ts'

/** A rejected reason for a rule, with its error message. */
type TypedReason = { rule: string; reason: string; problems: Problems }

type PageContext = {
  words: Words
  state: PassportState
  mayEdit: boolean
  /** A product with units asks in its form whether the reason is a change or a correction. */
  hasUnits: boolean
  reasons: ReadonlyMap<string, string>
  typed: TypedReason | undefined
}

export async function showReadiness(visit: Visit): Promise<Outcome> {
  return renderReadinessPage(visit, await getRequestedProduct(visit), undefined)
}

async function renderReadinessPage(
  visit: Visit,
  state: PassportState,
  typed: TypedReason | undefined,
): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const texts = words.texts.readiness
  const { row } = state
  const [report, hasUnits, untpGaps] = await Promise.all([
    findReport(visit, state),
    hasUnitsUnder(ctx, row),
    listUntpGaps(ctx, state),
  ])
  const mayEdit = session.role !== 'viewer'
  const page: PageContext = { words, state, mayEdit, hasUnits, reasons: listReasons(state), typed }
  const { judged, undetermined, notApplying } = report
  const acts = [
    ...judged.map(act => renderAct(page, act)),
    ...undetermined.map(act => renderUndetermined(page, act)),
  ]
  const shown = [...judged, ...undetermined].map(({ act }) => act)
  const body = html`!${backToProduct(words, state)}<h1>${texts.titleOf({ name: getProductTitle(words, state) })}</h1>
<p class="lead">${texts.lead}</p>!${renderDone(visit, state)}!${renderTypedProblems(page)}
!${acts.length === 0 ? html`<p>${texts.noActs}</p>` : html`<p class="no-print"><a class="alone" href="${getReadinessUrl(row)}.csv">${texts.download}</a></p>`}!${acts}
!${renderNotes(page, report.notes)}!${renderNotApplying(words, notApplying)}!${renderUntpGaps(words, untpGaps)}
<p class="after quiet">${texts.rulesOf({ date: words.date(report.rulesVersion) })}</p>!${renderSources(words, row.category, shown)}`
  const status = typed === undefined ? 200 : 422
  const scripts = query.has('n') ? [DRAFTS_MODULE] : []
  return { title: texts.titleOf({ name: getProductTitle(words, state) }), body, status, scripts }
}

function renderUntpGaps(words: Words, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const labels = paths.map(path => getFieldLabel(words, path))
  const fields = new Intl.ListFormat(words.language, { type: 'conjunction' }).format(labels)
  return section(
    'untp',
    words.texts.readiness.untp,
    html`<p>${words.texts.readiness.untpMissing({ fields })}</p>`,
  )
}

/** After a save the browser deletes what it kept of the form. */
function renderDone({ words, query, session }: Visit, { row }: PassportState): string {
  const done = query.get('done')
  if (done === 'declared') return doneNotice(words.texts.readiness.declared)
  const saved = renderDoneNotice(words, query, ['saved', 'corrected'])
  if (saved === '') return ''
  return saved + renderSavedDraft(getProductDraftKey(session, idFromUuid(row.id)), Number(query.get('n')))
}

async function hasUnitsUnder(ctx: Visit['ctx'], row: PassportState['row']): Promise<boolean> {
  const { batches, items } = await countUnitsUnder(ctx, row, 1)
  return batches + items > 0
}

function renderTypedProblems({ words, typed }: PageContext): string {
  if (typed === undefined || isFine(typed.problems)) return ''
  const labels = Object.keys(typed.problems).map(name => [name, words.texts.readiness.reason])
  return summary(words.texts, typed.problems, Object.fromEntries(labels))
}

function renderAct(page: PageContext, act: JudgedAct): string {
  const { words } = page
  const texts = words.texts.readiness
  const groups = groupRules(act)
  const [open, closed] = [GROUPS.filter(isOpenGroup), GROUPS.filter(one => !isOpenGroup(one))]
  const { note } = getActTexts(words, { id: act.act, title: act.title })
  const fillable = page.mayEdit ? listFillable(LEVEL_NAME[page.state.row.level], act) : []
  const fill =
    fillable.length < 2
      ? ''
      : html`<p class="no-print"><a class="button" href="${getFillUrl(page.state.row, act.act)}">${texts.fillAll({ count: fillable.length })}<span class="sight">: !${renderActTitle(words, act)}</span></a></p>`
  const nothing = open.some(one => groups.has(one)) ? '' : html`<p>${describeNothing(words, act)}</p>`
  return html`<section aria-labelledby="${act.act}" class="act"><div class="bars"><div><h2 id="${act.act}">!${renderActTitle(words, act)}</h2><span class="amount">${describeScore(words, act)}</span>
<div class="bar">!${renderBar(act, act.act)}</div></div></div><p class="quiet">${describeActState(words, act)}!${note === undefined ? '' : html`. ${note}`}</p>!${renderDueDays(words, act)}!${renderNotWhole(words, act)}!${nothing}!${fill}
!${open.map(one => renderOpenGroup(page, act, one, groups.get(one)))}!${closed.map(one => renderClosedGroup(page, act, one, groups.get(one)))}</section>`
}

const isOpenGroup = (group: Group): boolean => OPEN_GROUPS.some(one => one === group)

function describeGroup({ readiness: texts }: Words['texts'], group: Group, n: number): string {
  return texts.groupCount({ group: texts.groups[group], n })
}

function renderOpenGroup(
  page: PageContext,
  act: JudgedAct,
  group: Group,
  rules: readonly JudgedRule[] | undefined,
): string {
  if (rules === undefined) return ''
  const { texts } = page.words
  const lead = group === 'check' ? html`<p class="quiet">${texts.readiness.checkLead}</p>` : ''
  return html`<h3 id="${act.act}-${group}">${describeGroup(texts, group, rules.length)}</h3>!${lead}!${rowList(rules.map(rule => renderRule(page, rule)))}`
}

function renderClosedGroup(
  page: PageContext,
  act: JudgedAct,
  group: Group,
  rules: readonly JudgedRule[] | undefined,
): string {
  if (rules === undefined) return ''
  const { texts } = page.words
  return html`<details class="fold" id="${act.act}-${group}"><summary>${describeGroup(texts, group, rules.length)}</summary>!${rowList(rules.map(rule => renderRule(page, rule)))}</details>`
}

function renderRule(page: PageContext, rule: JudgedRule): string {
  const { words, reasons } = page
  const texts = words.texts.readiness
  const { title, question, hint, pending, unverified, language } = getRuleTexts(words, rule)
  const hasGap = rule.audience_gap === true && !['not_applicable', 'not_displayed'].includes(rule.outcome)
  const reason = reasons.get(rule.id)
  const units = rule.issued_units
  const lines = [
    [title, ...rule.source].join(' · '),
    ...(hint === undefined ? [] : [hint]),
    ...listGtinLines(page, rule),
    ...(reason === undefined ? [] : [texts.declaredBecause({ reason })]),
    ...(units === undefined
      ? []
      : [`${texts.unitsLack({ count: units.lacking })} ${texts.fillUnits[units.fill_by]}`]),
    ...listUnitLines(words, rule),
    ...(pending === undefined ? [] : [pending]),
    ...listDayLines(words, rule),
    ...(unverified === undefined ? [] : [texts.unverified({ text: unverified })]),
    ...(hasGap ? [texts.audienceGap({ readers: nameReaders(words, rule) })] : []),
  ]
  const number = rule.nr === undefined ? '' : html`<span class="number">${rule.nr}</span> `
  return html`<li id="${rule.id}" class="rule"!${language === undefined ? '' : html` lang="${language}"`}><p>!${number}${question}</p>!${lines.map(line => html`<p class="hint">${line}</p>`)}!${renderRuleActions(page, rule, title)}</li>`
}

/** Why the number that the product has does not answer the question. */
function listGtinLines({ words, state: { row } }: PageContext, { id, outcome }: JudgedRule): string[] {
  const isOpen = OPEN_GROUPS.some(group => group === outcome)
  if (!isOpen || row.gtin === null || hasGs1Address(row) || !asksForGtin(row.category, id)) return []
  const found = explainGtinKind(row.gtin)
  if (found === undefined) return []
  const detail = { path: ['data', 'gtin'], code: 'special_gtin', message: '', [TRANSLATION]: found } as const
  return [`${getFieldLabel(words, 'gtin')} ${row.gtin}: ${explainProblem(words, detail)}`]
}

/** Whom the law wants to see it. The public includes the others. */
function nameReaders({ texts }: Words, { audience }: JudgedRule): string {
  const { readers } = texts.audience
  if (audience.includes('public')) return readers.public
  return audience.map(one => readers[one]).join(', ')
}

function renderRuleActions(page: PageContext, rule: JudgedRule, title: string): string {
  const { words, state, mayEdit, reasons } = page
  const texts = words.texts.readiness
  if (!mayEdit) return ''
  const isOpen = OPEN_GROUPS.some(group => group === rule.outcome)
  const to = reasons.has(rule.id) ? getFieldUrl(state.row, 'notApplicable') : findFillUrl(state, rule)
  const text = isOpen ? texts.fillIn : texts.change
  const link =
    to === undefined || rule.outcome === 'unit'
      ? ''
      : html`<a class="action" href="${to}">${text}<span class="sight">: ${title}</span></a>`
  const declare = isOpen && rule.severity === 'when_applicable' ? renderDeclaration(page, rule, title) : ''
  return link + declare === '' ? '' : html`<div class="rule-actions no-print">!${link}!${declare}</div>`
}

/** The form of the product, or of its model where the law asks for less detail; opened at the field. */
function findFillUrl({ row }: PassportState, rule: JudgedRule): string | undefined {
  if (rule.edit_url !== undefined && URL.canParse(rule.edit_url)) {
    const { pathname, hash } = new URL(rule.edit_url)
    return `${pathname}?field=${hash.slice(1)}&from=readiness${hash}`
  }
  // A GTIN belongs to the model, whose form has it as a field.
  return asksForGtin(row.category, rule.id) ? getFieldUrl({ id: row.model_id }, 'gtin') : undefined
}

const asksForGtin = (category: string, id: string): boolean =>
  (getRules().acts.get(category) ?? []).some(act =>
    act.rules.some(rule => rule.id === id && rule.met.flat().some(({ text }) => text === '@gtin')),
  )

const getReasonName = (rule: string) => `reason-${rule}`

/**
 * A rule of the model is declared on the model, so that all its units have the same reason. If units exist,
 * the form of the product asks whether it is a change or a correction.
 */
function renderDeclaration(
  { words, state, hasUnits, typed }: PageContext,
  rule: JudgedRule,
  title: string,
): string {
  const texts = words.texts.readiness
  const { row } = state
  const hidden = html`<span class="sight">: ${title}</span>`
  if (isOfModel(row, rule.level)) {
    const to = `${getReadinessUrl({ id: row.model_id })}#${rule.id}`
    return html`<a class="action" href="${to}">${texts.onModel}!${hidden}</a>`
  }
  if (hasUnits)
    return html`<a class="action" href="${getDeclareUrl(row, rule.id)}">${texts.doesNotApply}!${hidden}</a>`
  const isTyped = typed?.rule === rule.id
  const problems = isTyped ? typed.problems : {}
  const name = getReasonName(rule.id)
  const field = { name, hint: texts.reasonHint }
  return html`<details class="fold-small"!${isTyped ? ' open' : ''}><summary>${texts.doesNotApply}!${hidden}</summary><form method="post" action="${getReadinessUrl(row)}#${rule.id}"><input type="hidden" name="rule" value="${rule.id}">
<div class="field"><label for="${name}">${texts.reason}</label>!${notes(field, problems)}<textarea id="${name}" name="${name}" rows="2" required!${described(field, problems)}>
${isTyped ? typed.reason : ''}</textarea></div><button class="second">${texts.saveReason}</button></form></details>`
}

const getDeclareUrl = ({ id }: { id: string }, rule: string) =>
  `${PRODUCTS}/${idFromUuid(id)}/edit?field=notApplicable&from=readiness&rule=${rule}#notApplicable`

const isOfModel = ({ level }: PassportState['row'], wanted: JudgedRule['level']): boolean =>
  RULE_LEVELS.indexOf(wanted) < RULE_LEVELS.indexOf(LEVEL_NAME[level])

function renderUndetermined({ words, state, mayEdit }: PageContext, act: UndeterminedAct): string {
  const { question, fields } = describeQuestion(words, state.row.category, act)
  const links = mayEdit
    ? fields.map(
        name =>
          html`<a class="button second" href="${getFieldUrl({ id: state.row.model_id }, name)}">${getFieldLabel(words, name)}</a> `,
      )
    : []
  return html`<section aria-labelledby="${act.act}" class="act"><h2 id="${act.act}">!${renderActTitle(words, act)}</h2>
<p>${question}</p><p class="choices no-print">!${links}</p></section>`
}

function renderNotes({ words, state, mayEdit }: PageContext, found: ProductReport['notes']): string {
  const texts = words.texts.readiness
  if (found.length === 0) return ''
  const lines = found.map(({ code, field }) => {
    const label = getFieldLabel(words, field)
    const name = mayEdit ? html`<a href="${getFieldUrl(state.row, field)}">${label}</a>` : html`${label}`
    return html`<li>!${name}: ${texts.noteTexts[code]}</li>`
  })
  return section('notes', texts.notes, html`<ul class="points">!${lines}</ul>`)
}

function renderNotApplying(words: Words, acts: ProductReport['notApplying']): string {
  if (acts.length === 0) return ''
  const titles = acts.map(({ act, title }) => getActTexts(words, { id: act, title }).title)
  return html`<p class="after quiet">${words.texts.readiness.notApplying({ acts: titles.join(', ') })}</p>`
}

/** Adds a reason why a rule does not apply. A product with units is changed in its form, which asks more. */
export async function submitDeclaration(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const state = await getRequestedProduct(visit)
  const { row } = state
  const rule = form.text('rule')
  if (!getRules().ruleIds.has(rule)) return { to: getReadinessUrl(row) }
  if (await hasUnitsUnder(ctx, row)) return { to: getDeclareUrl(row, rule) }
  const name = getReasonName(rule)
  const reason = form.text(name)
  if (reason === '') {
    const problems = { [name]: words.texts.errors.required }
    return renderReadinessPage(visit, state, { rule, reason, problems })
  }
  const { notApplicable } = effectiveData(state)
  const others = Array.isArray(notApplicable) ? notApplicable.filter(one => one?.rule !== rule) : []
  await updatePassport(ctx, {
    uuid: row.id,
    data: { notApplicable: [...others, { rule, reason }] },
    changeType: 'change',
    note: undefined,
    strict: false,
    expects: ({ version_no }) => version_no === row.version_no,
  })
  return { to: `${getReadinessUrl(row)}?done=declared#${rule}` }
}
