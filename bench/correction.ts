/**
 * `correction` and `preflight`: one call at a time, for a model with 100,000 items compared with one with 10.
 */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import type { Bench, BenchRow } from './environment.ts'
import { measureInTurns, type Server } from './environment.ts'
import { load } from './load.ts'
import { ask, correction, issue, models } from './units.ts'

const FEW = 10
const MANY = 100_000
const SECONDS = 1
const MOST_MS = 50

export const correctionRows: Bench = async stage => {
  const hall = await stage.openDatabase('correction')
  const tenant = await stage.createTenant(hall)
  const [few = '', many = ''] = await models(hall, tenant, 2)
  await issue(hall, tenant, { under: few, level: 'item', count: FEW })
  await issue(hall, tenant, { under: many, level: 'item', count: MANY })
  const ours = await stage.startServer(hall, 'ours.ts')
  let n = 0
  const correct = (model: string) => () => shoot(ours, () => correction(tenant, model, ++n))
  const preflight = (model: string) => () =>
    shoot(ours, () => ask(tenant, 'GET', `${idFromUuid(model)}/refresh`))
  const ms = await measureInTurns({
    few: correct(few),
    many: correct(many),
    fewPreflight: preflight(few),
    manyPreflight: preflight(many),
  })
  await ours.stop()
  return [
    row('correction', ms.many, ms.few, 'ms with 100,000 items against 10'),
    row('preflight', ms.manyPreflight, ms.fewPreflight, 'ms with 100,000 outdated items against 10'),
    row('preflight, time', ms.manyPreflight, MOST_MS, 'ms with 100,000 outdated items against 50 ms'),
  ]
}

async function shoot(server: Server, next: () => string): Promise<number> {
  const tally = await load({ port: server.port, connections: 1, seconds: SECONDS, next })
  if (tally.failed > 0) throw new Error(`${tally.failed} requests failed`)
  return tally.medianMs
}

const row = (name: string, ours: number, limit: number, unit: string): BenchRow => ({
  row: name,
  ours,
  limit,
  ratio: ours / limit,
  unit,
})
