/** Whether the service can do its work: the one call that needs no key and is never refused. */
import { isReachable } from '../kernel/db.ts'
import { type Answer, data, type OpenCall } from './route.ts'

export async function health({ setup }: OpenCall): Promise<Answer> {
  const reachable = await isReachable(setup.sql)
  const body = {
    status: reachable ? 'ok' : 'unavailable',
    version: setup.version,
    time: setup.clock.now().toISOString(),
  }
  const headers = { 'cache-control': 'no-store', ...(reachable ? {} : { 'retry-after': '2' }) }
  return { status: reachable ? 200 : 503, body: data(JSON.stringify(body)), headers }
}
