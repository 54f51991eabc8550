/** The page of one version: its data, what changed from the version before, and buttons to restore it. */

import { html } from 'ghtml'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { getVersion, listVersions } from '../../passports/read/history.ts'
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import { revertPassport } from '../../passports/write/revert.ts'
import { notice, section } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import {
  backToProduct,
  getDoneUrl,
  getProductTitle,
  getProductUrl,
  getRequestedProduct,
} from '../product-data/product.ts'
import { renderData, renderDifference } from '../product-data/view.ts'

export const showVersion = (visit: Visit): Promise<Outcome> => renderVersionPage(visit, undefined)

async function renderVersionPage(visit: Visit, refusal: string | undefined): Promise<Outcome> {
  const { ctx, words, session } = visit
  const texts = words.texts.products
  const state = await getRequestedProduct(visit)
  const n = parseVersionNumber(visit)
  const { row } = state
  const [version, before, history] = await Promise.all([
    getVersion(ctx, row.id, n),
    n > 1 ? getVersion(ctx, row.id, n - 1) : undefined,
    listVersions(ctx, row.id, { limit: 1, before: n + 1 }),
  ])
  const [entry] = history.versions
  const { fields } = requireCategory(row.category)
  const data: DataObject = JSON.parse(version.data)
  const older: DataObject | undefined = before && JSON.parse(before.data)
  const title = `${getProductTitle(words, state)}, ${texts.versionNo({ n })}`
  const at = getProductUrl(row)
  const way = (to: number, text: string) =>
    to < 1 || to > row.version_no ? '' : html`<a class="alone" href="${at}/versions/${to}">${text}</a>`
  const body = html`!${backToProduct(words, state)}<h1>${texts.versionNo({ n })}</h1>
<p class="lead">${texts.kinds[entry?.change_type ?? 'created']}, ${words.minute(entry?.created_at ?? version.updated_at.toISOString())}, ${entry?.created_by ?? ''}</p>!${entry?.note == null ? '' : html`<p>${entry.note}</p>`}!${notice(refusal)}
<nav class="pages" aria-label="${texts.versions}">!${way(n - 1, texts.olderVersion)}!${way(n + 1, texts.newerVersion)}</nav>
!${older === undefined ? '' : renderDifference(words, fields, older, data)}
!${section('data', texts.dataThen, renderData(words, fields, data))}
!${session.role === 'viewer' || n === row.version_no ? '' : renderRevertForm(words, at, n, row.level)}`
  return { title, body, isWide: true, styles: ['pictures'], status: refusal === undefined ? 200 : 422 }
}

function parseVersionNumber({ n }: Visit): number {
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  return Number(n)
}

function renderRevertForm(words: Words, at: string, n: number, level: 'm' | 'b' | 'i'): string {
  const texts = words.texts.products
  const kinds = level === 'i' ? (['change'] as const) : CHANGE_TYPES
  const buttons = kinds.map(
    kind => html`<button class="second" name="change_type" value="${kind}">${texts.revertAs[kind]}</button>`,
  )
  const content = html`<p>${texts.revertLead({ n })}</p>
<form method="post" action="${at}/versions/${n}/revert" class="choices">!${buttons}</form>`
  return section('revert', texts.revert, content)
}

export async function submitRevert(visit: Visit): Promise<Outcome> {
  const { ctx, form, words } = visit
  const state = await getRequestedProduct(visit)
  const changeType = CHANGE_TYPES.find(one => one === form.text('change_type')) ?? 'change'
  try {
    const { passport } = await revertPassport(ctx, {
      uuid: state.row.id,
      versionNo: parseVersionNumber(visit),
      changeType,
      note: undefined,
      expects: () => true,
    })
    return { to: getDoneUrl(state.row, 'reverted', passport.version_no) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    const [detail] = error.details ?? []
    return renderVersionPage(visit, detail === undefined ? error.message : explainProblem(words, detail))
  }
}
