/** Renders the page of the EU registry. */
import { html } from 'ghtml'
import { type RegistrySettings, readRegistrySettings } from '../../accounts/account/registry-settings.ts'
import { LINE_STATES, REGISTRY_STATES } from '../../passports/registry/entry.ts'
import type { ResultReport } from '../../passports/registry/parse-results.ts'
import {
  type EntryFilter,
  type ListedEntry,
  listRegistryEntries,
  type RegistrySums,
  sumRegistryEntries,
} from '../../passports/registry/sum-entries.ts'
import { isFine, type Problems } from '../page/form.ts'
import {
  alertBox,
  backLink,
  described,
  doneNotice,
  input,
  notes,
  pointList,
  rowList,
  section,
  select,
  summary,
} from '../page/parts.ts'
import { type Outcome, PRODUCTS, REGISTRY, SETTINGS, type Visit, type Words } from '../page/route.ts'
import { UPLOAD_KEPT_BYTES } from '../page/upload.ts'
import { getFieldLabel } from '../product-data/labels.ts'

export const CONSOLE_FORMATS = ['jsonl', 'csv'] as const

/** `copies`: what was typed as the address of the copies. */
type Shown = { problems?: Problems; copies?: string; report?: ResultReport }

const MAX_LISTED = 50

export async function renderRegistry(visit: Visit, shown: Shown): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const texts = words.texts.registry
  const { problems = {}, report } = shown
  const filter = parseFilter(query)
  if (filter !== undefined) {
    const list = renderList(words, filter, await listRegistryEntries(ctx, filter, MAX_LISTED))
    return { title: texts.title, body: html`!${backLink(REGISTRY, texts.title)}!${list}` }
  }
  const settings = await readRegistrySettings(ctx.sql, ctx.accountId)
  const sums = await sumRegistryEntries(ctx)
  const labels = { results: texts.results, copies: texts.copies }
  const mayWrite = session.role !== 'viewer' && session.account.closedAt === null
  const hasEntries = settings.isOn || [...sums.states.values()].some(count => count > 0)
  const done = (['on', 'off', 'copies'] as const).find(one => one === query.get('done'))
  const body = html`!${backLink(SETTINGS, words.texts.settings.back)}<h1>${texts.title}</h1><p class="lead">${texts.lead}</p>
!${done === undefined ? '' : doneNotice(texts.done[done])}!${summary(words.texts, problems, labels)}!${report === undefined ? '' : renderReport(words, report)}
!${hasEntries ? renderSums(words, sums) : ''}!${hasEntries && mayWrite ? renderDownload(words, sums) + renderUpload(words, problems) : ''}
!${section('settings', texts.settings, renderSettings(visit, settings, shown))}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function parseFilter(query: URLSearchParams): EntryFilter | undefined {
  const missing = query.get('missing')
  if (missing !== null) return { missing }
  if (query.get('expiring') === 'yes') return { expiring: true }
  const state = REGISTRY_STATES.find(one => one === query.get('state'))
  return state === undefined ? undefined : { state }
}

const getFilterUrl = (name: string, value: string) => `${REGISTRY}?${new URLSearchParams({ [name]: value })}`

function nameField(words: Words, field: string): string {
  if (field === 'backupUrl') return words.texts.registry.backupUrl
  const [first = ''] = field.split('.')
  const label = getFieldLabel(words, field)
  return first === field ? label : `${getFieldLabel(words, first)}: ${label}`
}

function renderReport(words: Words, { results, failed }: ResultReport): string {
  const texts = words.texts.registry
  const stored = results.filter(({ outcome }) => outcome === 'stored').length
  const sentence = texts.outcome({ stored, unchanged: results.length - stored, failed: failed.length })
  if (failed.length === 0) return doneNotice(sentence)
  const lines = failed
    .slice(0, MAX_LISTED)
    .map(({ index, error }) => html`<li>${texts.row({ row: index + 1, sentence: error.message })}</li>`)
  return alertBox(html`<p>${sentence}</p><ul>!${lines}</ul>`)
}

function renderSums(words: Words, { states, missing, expiring }: RegistrySums): string {
  const texts = words.texts.registry
  const lines = REGISTRY_STATES.flatMap(state => {
    const count = states.get(state) ?? 0
    return count === 0 ? [] : [renderCount(words, getFilterUrl('state', state), texts.states[state], count)]
  })
  const where = lines.length === 0 ? html`<p class="empty">${texts.nothing}</p>` : rowList(lines)
  const gaps = missing.map(({ field, count }) =>
    renderCount(words, getFilterUrl('missing', field), nameField(words, field), count),
  )
  const proofs = html`<p>${texts.expiringLead({ count: expiring.count })}!${expiring.first === null ? '' : html` ${texts.expiringFirst({ day: words.date(expiring.first.toISOString()) })}`}</p><p><a class="alone" href="${getFilterUrl('expiring', 'yes')}">${texts.products({ count: expiring.count })}</a></p>`
  return html`!${section('where', texts.where, where)}
!${gaps.length === 0 ? '' : section('missing', texts.missing, html`<p class="quiet">${texts.missingLead}</p>!${rowList(gaps)}`)}
!${expiring.count === 0 ? '' : section('expiring', texts.expiring, proofs)}`
}

const renderCount = ({ texts }: Words, to: string, name: string, count: number) =>
  html`<li class="in-line"><a class="row-link" href="${to}">${name}</a><span class="quiet">${texts.registry.products({ count })}</span></li>`

function renderList(words: Words, filter: EntryFilter, entries: readonly ListedEntry[]): string {
  const texts = words.texts.registry
  const what =
    'missing' in filter
      ? nameField(words, filter.missing)
      : 'state' in filter
        ? texts.states[filter.state]
        : texts.expiring
  const anchor = 'missing' in filter ? `/edit#${filter.missing.split('.')[0]}` : ''
  const lines = entries.map(entry => {
    const more = [entry.lot, entry.serial, entry.registration_id, entry.message].filter(one => one !== null)
    if (entry.proof_valid_until !== null)
      more.push(texts.until({ day: words.date(entry.proof_valid_until.toISOString()) }))
    const to = `${PRODUCTS}/${entry.id}${'missing' in filter && filter.missing === 'backupUrl' ? '' : anchor}`
    return html`<li><a class="row-link" href="${to}">${entry.productName ?? entry.id}</a><span class="quiet">${more.join(' · ')}</span></li>`
  })
  const first = html`<p class="quiet">${texts.shownFirst({ count: MAX_LISTED })}</p>`
  const content = html`!${lines.length === 0 ? html`<p class="empty">${texts.noneShown}</p>` : rowList(lines)}!${lines.length < MAX_LISTED ? '' : first}`
  return html`<h1>${texts.shownProducts({ what })}</h1>!${content}`
}

function renderDownload(words: Words, { states }: RegistrySums): string {
  const texts = words.texts.registry
  const ready = states.get('ready') ?? 0
  const lines = LINE_STATES.filter(state => state === 'ready' || (states.get(state) ?? 0) > 0)
  const options = lines.map(state => [state, texts.states[state]] as const)
  const formats = CONSOLE_FORMATS.map(format => [format, texts.formats[format]] as const)
  const lead = ready === 0 ? texts.downloadNone : texts.downloadLead({ count: ready })
  const content = html`<p>${lead}</p><form method="post" action="${REGISTRY}/lines" class="narrow">
!${select({ name: 'state', label: texts.state, options }, {})}!${select({ name: 'format', label: texts.format, options: formats }, {})}
<button>${texts.submitDownload}</button></form>`
  return section('download', texts.download, content)
}

function renderUpload(words: Words, problems: Problems): string {
  const texts = words.texts.registry
  const field = { name: 'results', hint: texts.resultsLead({ bytes: UPLOAD_KEPT_BYTES }) }
  const content = html`<form method="post" action="${REGISTRY}/results" enctype="multipart/form-data" novalidate class="data">
<div class="field"><label for="results">${texts.file}</label>!${notes(field, problems)}
<input type="file" id="results" name="results" accept=".json,application/json"!${described(field, problems)}></div>
<button>${texts.submitResults}</button></form>`
  return section('answers', texts.results, content)
}

function renderSettings(
  { words, session }: Visit,
  { isOn, backupBaseUrl }: RegistrySettings,
  { problems = {}, copies }: Shown,
): string {
  const texts = words.texts.registry
  const state = html`<p><strong>${isOn ? texts.isOn : texts.isOff}</strong></p>!${isOn ? '' : pointList(texts.pointsOff)}`
  if (session.role !== 'owner') return html`!${state}<p class="quiet">${texts.ownersOnly}</p>`
  const field = {
    name: 'copies',
    label: texts.copies,
    hint: texts.copiesHint,
    type: 'url' as const,
    value: copies ?? backupBaseUrl ?? '',
    isOptional: true,
  }
  return html`!${state}
<form method="post" action="${REGISTRY}/switch"><button!${isOn ? ' class="second"' : ''} name="to" value="${isOn ? 'off' : 'on'}">${isOn ? texts.switchOff : texts.switchOn}</button></form>
<form method="post" action="${REGISTRY}/copies" novalidate class="narrow after">!${input(field, problems)}<button class="second">${texts.save}</button></form>`
}
