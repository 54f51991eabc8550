/** The pages of a record: the list, the form, and the question before it is deleted. Viewers see the list. */
import { html } from 'ghtml'
import { idFromUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
} from '../../passports/core/store-records.ts'
import type { StoredRecord } from '../../records/record.ts'
import { doneNotice, questionPage, rowList } from '../page/parts.ts'
import { type ConsoleRoute, editor, type Outcome, signedIn, type Visit, type Words } from '../page/route.ts'
import { renderLanguage } from '../product-data/view.ts'
import { settingsHead } from '../settings/places.ts'
import { readRecordForm, showTyped } from './read-form.ts'
import { showRecordForm } from './record-form.ts'
import type { RecordPage } from './record-page.ts'
import { findRecordProblems } from './record-problems.ts'

export function listRecordRoutes<R extends StoredRecord>(pageOfType: RecordPage<R>): readonly ConsoleRoute[] {
  const page: RecordPage = pageOfType
  const { address, store } = page
  const requireId = ({ id }: Visit) => requireUuid(id, store.type.names.one)
  return [
    signedIn.get(address, visit => showList(page, visit)),
    editor.post(address, visit => save(page, visit)),
    editor.get(`${address}/new`, ({ words }) =>
      showRecordForm(words, page, { typed: showTyped(page, words.language) }),
    ),
    editor.post(`${address}/:id`, visit => save(page, visit, requireId(visit))),
    editor.get(`${address}/:id/edit`, async visit => {
      const stored = await getRecord(visit.ctx, store, requireId(visit))
      return showRecordForm(visit.words, page, {
        typed: showTyped(page, visit.words.language, stored),
        id: visit.id,
      })
    }),
    editor.get(`${address}/:id/delete`, async visit =>
      askToDelete(page, visit, await getRecord(visit.ctx, store, requireId(visit))),
    ),
    editor.post(`${address}/:id/delete`, async visit => {
      await deleteRecord(visit.ctx, store, requireId(visit))
      return { to: `${address}?deleted=1` }
    }),
  ]
}

async function showList(page: RecordPage, visit: Visit): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const texts = page.readTexts(words.texts)
  const records = await listRecords(ctx, page.store)
  const mayEdit = session.role !== 'viewer'
  const done = query.has('saved') ? texts.saved : query.has('deleted') ? texts.deleted : undefined
  const { max } = page.store.type
  const add =
    records.length < max
      ? html`<p class="choices"><a class="button" href="${page.address}/new">${texts.add}</a></p>`
      : html`<p class="quiet">${texts.full({ most: max })}</p>`
  const rows = records.map(record => renderRecord(words, page, record, mayEdit))
  const more = records.length === 0 ? '' : await page.renderMore?.(visit, records)
  const body = html`!${settingsHead(words, texts)}!${done === undefined ? '' : doneNotice(done)}!${mayEdit ? add : ''}
!${rows.length === 0 ? html`<p>${texts.none}</p>` : rowList(rows)}!${more ?? ''}`
  return { title: texts.title, body }
}

function renderRecord(words: Words, page: RecordPage, record: StoredRecord, mayEdit: boolean): string {
  const texts = words.texts.records
  const { text: name, language: tag } = page.nameRecord(words, record)
  const language = html` dir="auto"!${renderLanguage(words, tag)}`
  const address = `${page.address}/${idFromUuid(record.id)}`
  const link = (to: string, verb: string) =>
    html`<a class="action" href="${address}/${to}">${verb}<span class="sight"!${language}> ${name}</span></a>`
  const actions = mayEdit ? link('edit', texts.edit) + link('delete', texts.delete) : ''
  const lines = page.listFacts(words, record).map(([term, value]) => html`<dt>${term}</dt><dd>!${value}</dd>`)
  return html`<li class="key"><div class="key-head"><h2!${language}>${name}</h2>!${actions}</div>
<dl class="pairs">!${lines.join('\n')}</dl></li>`
}

async function save(page: RecordPage, { ctx, words, form, id }: Visit, uuid?: string): Promise<Outcome> {
  const typed = readRecordForm(page, words.language, form)
  const shown = { typed, id: uuid === undefined ? undefined : id }
  if (form.raw('more') !== '')
    return showRecordForm(words, page, { ...shown, typed: { ...typed, blankRows: 2 } })
  const own = findRecordProblems(words, page, typed)
  if (own !== undefined) return showRecordForm(words, page, { ...shown, problems: own })
  try {
    if (uuid === undefined) await createRecord(ctx, page.store, typed.sent)
    else await changeRecord(ctx, page.store, { id: uuid, sent: typed.sent })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'plan_limit') return { to: page.address }
    if (error.code !== 'validation') throw error
    const problems = findRecordProblems(words, page, typed, error.details) ?? {}
    return showRecordForm(words, page, { ...shown, problems })
  }
  return { to: `${page.address}?saved=1` }
}

function askToDelete(page: RecordPage, { words, id }: Visit, record: StoredRecord): Outcome {
  const texts = page.readTexts(words.texts)
  const { text, language } = page.nameRecord(words, record)
  const title = texts.deleteTitle({ title: text })
  const [before = '', after = ''] = title.split(text)
  return questionPage({
    title,
    heading: html`${before}<span dir="auto"!${renderLanguage(words, language)}>${text}</span>${after}`,
    about: html`<p class="lead">${texts.deleteLead}</p>`,
    action: `${page.address}/${id}/delete`,
    submit: words.texts.records.delete,
    back: page.address,
    keep: words.texts.people.keep,
  })
}
