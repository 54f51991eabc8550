/** Addresses for the operator: liveness, readiness and metrics. They are not part of the API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isEqualInConstantTime, sha256Hex } from '../../kernel/crypto/crypto.ts'
import type { ConnectionNumbers } from '../../kernel/http/connection-guard.ts'
import { HttpError } from '../../kernel/http/http-error.ts'

type Readiness = 'ready' | 'read-only' | 'disk full' | 'not ready'

export type OperatorSetup = {
  /** `read-only` and `disk full`: reads work, writes fail. `disk full` is only looked up for writes. */
  findReadiness: (forWrites: boolean) => Promise<Readiness>
  /** Metrics for Prometheus; without them there is no `/metrics`. */
  metrics?: OperatorMetrics | undefined
}

type OperatorMetrics = {
  /** Required as `Authorization: Bearer`. */
  token: string
  text: () => Promise<string>
  countRequest: (request: { method: string; route: string; status: number; seconds: number }) => void
  countError: (code: string) => void
  watchConnections: (numbers: () => ConnectionNumbers) => void
}

const TEXT = 'text/plain; charset=utf-8'

export function registerOperator(app: FastifyInstance, { findReadiness, metrics }: OperatorSetup): void {
  app.get('/healthz', (_request, reply) => reply.type(TEXT).send('ok\n'))
  const sendReadiness = async (reply: FastifyReply, forWrites: boolean) => {
    const readiness = await findReadiness(forWrites)
    const isOk = readiness === 'ready' || (readiness === 'read-only' && !forWrites)
    return reply
      .code(isOk ? 200 : 503)
      .headers({ 'cache-control': 'no-store', ...(isOk ? {} : { 'retry-after': '2' }) })
      .type(TEXT)
      .send(`${readiness}\n`)
  }
  // With a read-only database, pages and reads still work, so writes have a separate check.
  app.get('/readyz', (_request, reply) => sendReadiness(reply, false))
  app.get('/readyz/writable', (_request, reply) => sendReadiness(reply, true))
  if (metrics === undefined) return
  app.get('/metrics', async (request, reply) => {
    if (!hasToken(request, metrics.token)) {
      const message =
        'The metrics require the METRICS_TOKEN of this service as "Authorization: Bearer <token>".'
      throw new HttpError('unauthorized', message, { 'www-authenticate': 'Bearer' })
    }
    const text = await metrics.text()
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(text)
  })
  app.addHook('onResponse', (request, reply, done) => {
    metrics.countRequest(describeRequest(request, reply))
    done()
  })
}

/** Compares hashes in constant time, so that timing reveals neither length nor content. */
function hasToken(request: FastifyRequest, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return isEqualInConstantTime(sha256Hex(sent), sha256Hex(token))
}

/** The route is a template, never the address: ids, tokens and typed text stay out of the metrics. */
const describeRequest = (request: FastifyRequest, reply: FastifyReply) => ({
  method: request.method,
  route: (request.is404 ? undefined : request.routeOptions.url) ?? 'none',
  status: reply.raw.statusCode,
  seconds: reply.elapsedTime / 1000,
})
