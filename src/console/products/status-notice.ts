/** The notice after archiving or restoring products: how many of each level, what follows, and undo. */
import { html } from 'ghtml'
import { idFromUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { Level } from '../../passports/read/list-filter.ts'
import { hiddenInputs } from '../page/parts.ts'
import { PRODUCTS, type Words } from '../page/route.ts'

const LEVELS = ['m', 'b', 'i'] as const
const DONE = ['archived', 'restored'] as const
/** Counts of models, batches and items. */
const COUNTS = /^(\d{1,2})-(\d{1,2})-(\d{1,2})$/
const MAX_IDS = 50

/** The query of the address after the action: `archived=20-10-0`, and the ids for undo. */
export function toStatusParameters(
  status: 'a' | 'x',
  done: readonly Pick<PassportRow, 'id' | 'level'>[],
): Record<string, string> {
  if (done.length === 0) return {}
  const counts = LEVELS.map(level => done.filter(one => one.level === level).length)
  const ids = done.map(({ id }) => idFromUuid(id))
  return { [status === 'x' ? 'archived' : 'restored']: counts.join('-'), of: ids.join('.') }
}

/** `back`: the list that undo leads to. */
export function renderStatusNotice(
  words: Words,
  query: URLSearchParams,
  { mayEdit, back }: { mayEdit: boolean; back: string },
): string {
  const done = DONE.find(one => COUNTS.test(query.get(one) ?? ''))
  if (done === undefined) return ''
  const texts = words.texts.productList
  const [, m = 0, b = 0, i = 0] = (COUNTS.exec(query.get(done) ?? '') ?? []).map(Number)
  const what = nameLevels(words, { m, b, i })
  if (what === '') return ''
  const effect = done === 'archived' && m + b > 0 ? html` ${texts.archivedUnits}` : ''
  const undo = mayEdit ? renderUndo(words, { ids: query.get('of') ?? '', done, back }) : ''
  return html`<div class="reach"><p role="status">${texts[done]({ what })}!${effect}</p>!${undo}</div>`
}

/** "2 models and one batch"; '' for nothing. */
export function nameLevels(words: Words, { m, b, i }: Readonly<Record<Level, number>>): string {
  const texts = words.texts.productList
  const named = [
    m === 0 ? [] : texts.models({ count: m }),
    b === 0 ? [] : texts.batches({ count: b }),
    i === 0 ? [] : texts.items({ count: i }),
  ].flat()
  return new Intl.ListFormat(words.language).format(named)
}

function renderUndo(
  { texts }: Words,
  { ids, done, back }: { ids: string; done: (typeof DONE)[number]; back: string },
): string {
  const known = ids.split('.', MAX_IDS).filter(id => parseId(id) !== undefined)
  if (known.length === 0) return ''
  const to = done === 'archived' ? 'restore' : 'archive'
  const fields = [['back', back] as const, ...known.map(id => ['id', id] as const)]
  return html`<form method="post" action="${PRODUCTS}/status">!${hiddenInputs(fields)}<button class="second" name="to" value="${to}">${texts.productList.undo}</button></form>`
}
