/** `item`: GET of an item under a batch, compared with GET of a model from the same server. */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import type { Bench } from './environment.ts'
import { measureInTurns } from './environment.ts'
import { load } from './load.ts'
import { ask, issue, models } from './units.ts'

const CONNECTIONS = 64
const SECONDS = 3
const MODELS = 10_000
const BATCHES = 20
const ITEMS = 500

export const itemRows: Bench = async stage => {
  const hall = await stage.openDatabase('item')
  const tenant = await stage.createTenant(hall)
  const modelIds = await models(hall, tenant, MODELS)
  const itemIds: string[] = []
  for (const under of modelIds.slice(0, BATCHES)) {
    const [batch = ''] = await issue(hall, tenant, { under, level: 'batch', count: 1 })
    itemIds.push(...(await issue(hall, tenant, { under: batch, level: 'item', count: ITEMS })))
  }
  await hall.sql`vacuum (analyze) passport`
  const ours = await stage.startServer(hall, 'ours.ts')
  const shoot = (ids: string[]) => {
    const requests = ids.map(id => ask(tenant, 'GET', idFromUuid(id)))
    return async () => {
      const next = (n: number) => requests[(n * 7919) % requests.length] ?? ''
      const tally = await load({ port: ours.port, connections: CONNECTIONS, seconds: SECONDS, next })
      if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
      return tally.perSecond
    }
  }
  const figures = await measureInTurns({ items: shoot(itemIds), models: shoot(modelIds) })
  await ours.stop()
  const { items, models: limit } = figures
  return [
    {
      row: 'item',
      ours: items,
      limit,
      ratio: items / limit,
      unit: 'requests/s, 64 connections, against models',
    },
  ]
}
