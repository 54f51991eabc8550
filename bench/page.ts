/**
 * `page`: the cached public page, compared with a bare server that sends the same bytes, headers included.
 */
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import { fill } from '../test/fill-database.ts'
import type { Bench } from './environment.ts'
import { measureInTurns } from './environment.ts'
import { load, request } from './load.ts'

const CONNECTIONS = 32
const SECONDS = 3

export const pageRows: Bench = async stage => {
  const hall = await stage.openDatabase('small')
  const tenant = await stage.createTenant(hall)
  const [id = ''] = await fill(hall.sql, { accountId: tenant.accountId, count: 1, word: 'page' })
  const ours = await stage.startServer(hall, 'ours.ts')
  const path = `/p/${idFromUuid(id)}`
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  })
  if (answer.status !== 200) throw new Error(`the page answered ${answer.status}`)
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64')
  const { connection: _, 'keep-alive': __, date: ___, ...headers } = Object.fromEntries(answer.headers)
  const bare = await stage.startServer(hall, 'bare.ts', { what: 'bytes', pool: 1, bytes, headers })
  const text = request('GET', path, { accept: 'text/html', 'accept-encoding': 'identity' })
  const shoot = (port: number) => async () =>
    (await load({ port, connections: CONNECTIONS, seconds: SECONDS, next: () => text })).perSecond
  const figures = await measureInTurns({ ours: shoot(ours.port), limit: shoot(bare.port) })
  await Promise.all([ours.stop(), bare.stop()])
  return [
    {
      row: 'page',
      ...figures,
      ratio: figures.ours / figures.limit,
      unit: 'requests/s, cached, uncompressed',
    },
  ]
}
