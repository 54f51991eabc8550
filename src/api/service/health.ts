/** Whether the service can do its work: the one call that needs no key and is never refused. */
import { isReachable } from '../../kernel/db/database.ts'
import { type ApiResponse, type OpenCall, successJson } from '../endpoint/endpoint.ts'

export async function health({ setup }: OpenCall): Promise<ApiResponse> {
  const reachable = await isReachable(setup.sql)
  const body = {
    status: reachable ? 'ok' : 'unavailable',
    version: setup.version,
    time: setup.clock.now().toISOString(),
  }
  const headers = { 'cache-control': 'no-store', ...(reachable ? {} : { 'retry-after': '2' }) }
  return { status: reachable ? 200 : 503, body: successJson(JSON.stringify(body)), headers }
}
