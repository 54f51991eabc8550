/** Asks before models or batches are archived below which batches or items stay active. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import { atPassport } from '../../passports/read/find.ts'
import { MAX_COUNTED } from '../../passports/read/list.ts'
import { countUnitsUnder, type UnitTotals } from '../../passports/read/list-units.ts'
import { hiddenInputs } from '../page/parts.ts'
import type { ConsolePage, Visit, Words } from '../page/route.ts'
import { nameLevels } from './status-notice.ts'

type Chosen = Pick<PassportRow, 'id' | 'level' | 'status' | 'parent_id' | 'model_id'>
/** `back`: the page that the question was asked on. `fields`: what the form sends again. */
type ArchiveForm = { action: string; back: string; fields: readonly (readonly [string, string])[] }

/** The name of the input that says that a person has seen the question. */
const SEEN = 'seen'

/** Undefined if nothing stays active below these products, or if the question was answered. */
export async function askBeforeArchiving(
  { ctx, words, form }: Visit,
  chosen: readonly Chosen[],
  { action, back, fields }: ArchiveForm,
): Promise<ConsolePage | undefined> {
  if (form.raw(SEEN) !== '') return undefined
  const active = chosen.filter(({ status }) => status === 'a')
  const below = await countActiveBelow(ctx, active)
  if (below.batches + below.items === 0) return undefined
  const texts = words.texts.productList
  const count = (level: Chosen['level']) => active.filter(one => one.level === level).length
  const title = texts.archiveTitle({
    what: nameLevels(words, { m: count('m'), b: count('b'), i: count('i') }),
  })
  const body = html`<h1>${title}</h1><p class="reach"><strong>${describeBelow(words, below)}</strong> ${texts.archivedUnits}</p>
<form method="post" action="${action}" class="choices">!${hiddenInputs([...fields, [SEEN, 'yes']])}<button class="danger" name="to" value="archive">${words.texts.products.archive}</button> <a class="button second" href="${back}">${words.texts.people.keep}</a></form>`
  return { title, body }
}

function describeBelow(words: Words, { batches, items }: UnitTotals): string {
  const texts = words.texts.productList
  if (batches + items > MAX_COUNTED) return texts.manyStayActive({ count: MAX_COUNTED })
  return texts.stayActive({ what: nameLevels(words, { m: 0, b: batches, i: items }) })
}

/** Counts what is below the chosen products and not chosen itself; it stops above `MAX_COUNTED`. */
async function countActiveBelow(ctx: AccountContext, chosen: readonly Chosen[]): Promise<UnitTotals> {
  const ids = new Set(chosen.map(({ id }) => id))
  const isBelowOther = ({ id, parent_id, model_id }: Chosen) =>
    [parent_id, model_id].some(one => one !== null && one !== id && ids.has(one))
  const total = { batches: 0, items: 0 }
  for (const one of chosen) {
    if (isBelowOther(one)) {
      if (one.level !== 'm') total[one.level === 'b' ? 'batches' : 'items']--
      continue
    }
    const { batches, items } = await countUnitsUnder(await atPassport(ctx, one.id), one, MAX_COUNTED, 'a')
    total.batches += batches
    total.items += items
    if (total.batches + total.items > MAX_COUNTED + chosen.length) break
  }
  return total
}
