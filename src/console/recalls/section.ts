/** Lists recalls on the page of a product: those that hold for it, each with the way to its page. */
import { html } from 'ghtml'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { RecallInForce } from '../../passports/core/recalls.ts'
import type { PassportState } from '../../passports/core/state.ts'
import { PRODUCTS, type Visit } from '../page/route.ts'

/** '' without a recall. */
export function renderRecallNotice(
  { words }: Visit,
  { row }: PassportState,
  recalls: readonly RecallInForce[],
): string {
  const texts = words.texts.recalls
  const lines = recalls.map(({ id, notice }) => {
    const where = id === row.id ? texts.ofThis : id === row.model_id ? texts.ofModel : texts.ofBatch
    const date = words.date(notice.from)
    return html`<p><strong>${where({ date })}</strong> <a class="alone" href="${PRODUCTS}/${idFromUuid(id)}/recall">${texts.see}</a></p>`
  })
  return lines.length === 0 ? '' : html`<div class="reach wrong">!${lines}</div>`
}
