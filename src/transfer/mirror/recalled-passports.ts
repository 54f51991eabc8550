/**
 * Lists the passports whose page has changed without a change of the passport: by a recall, with all beneath
 * them, and by an event of a unit.
 */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { listLivesSince } from '../../passports/life/read-events.ts'
import { findSummaries, listPassports, type PassportSummary } from '../../passports/read/list.ts'
import { listRecalledSince } from '../../passports/recalls/read-recall.ts'

const PASSPORTS_PER_PAGE = 100
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Page by page, some perhaps twice. Neither writes anything to passports, so no other list has them. */
export async function* listRecalledPassports(
  ctx: AccountContext,
  since: Date,
): AsyncGenerator<PassportSummary[]> {
  for (const at of listAccountShards(ctx)) {
    for (const uuid of await listRecalledSince(at, since)) {
      const rows = await findSummaries(at, [uuid])
      yield rows
      for (const row of rows) yield* listBeneath(at, row)
    }
    for (const uuids of chunk(await listLivesSince(at, since), PASSPORTS_PER_PAGE))
      yield await findSummaries(at, uuids)
  }
}

const chunk = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

async function* listBeneath(
  at: AccountContext,
  { id, level }: Pick<PassportSummary, 'id' | 'level'>,
): AsyncGenerator<PassportSummary[]> {
  if (level === 'i') return
  for (let after = LAST_ID; ; ) {
    const window = { limit: PASSPORTS_PER_PAGE, after }
    const { rows } = await listPassports(at, { levels: ['b', 'i'], parentId: id }, window, 0)
    yield rows
    for (const row of rows) yield* listBeneath(at, row)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
