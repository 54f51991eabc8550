/** `GET /health`: whether the service works. It needs no key and is never refused. */
import { isReachable } from '../../kernel/db/database.ts'
import { DATE_TIME, dataResponse, objectSchema, TEXT } from '../endpoint/documented-response.ts'
import { definePublicEndpoint, successJson } from '../endpoint/endpoint.ts'

const EXAMPLE = { status: 'ok', version: '0.2.0', time: '2026-11-21T09:30:00.000Z' }

export const health = definePublicEndpoint({
  method: 'GET',
  path: '/health',
  id: 'getHealth',
  tag: 'service',
  summary: 'Check whether the service works',
  description: 'Needs no key and is never refused; a query is ignored.',
  isNeverRejected: true,
  responses: {
    200: dataResponse('It works.', 'Health', EXAMPLE),
    503: {
      ...dataResponse('The database does not answer.', 'Health', { ...EXAMPLE, status: 'unavailable' }),
      headers: ['Retry-After'],
    },
  },
  async handle({ setup }) {
    const isOk = await isReachable(setup.sql)
    const body = {
      status: isOk ? 'ok' : 'unavailable',
      version: setup.version,
      time: setup.clock.now().toISOString(),
    }
    const headers = { 'cache-control': 'no-store', ...(isOk ? {} : { 'retry-after': '2' }) }
    return { status: isOk ? 200 : 503, body: successJson(JSON.stringify(body)), headers }
  },
})

export const HEALTH_SCHEMAS = {
  Health: objectSchema({
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    version: TEXT,
    time: DATE_TIME,
  }),
}
