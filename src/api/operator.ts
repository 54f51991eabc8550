/** The addresses of whoever runs the service: does it live, can it work, how is it. They are no part of the API. */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConnectionNumbers } from '../kernel/connection-guard.ts'
import { sha256Hex } from '../kernel/crypto.ts'
import { AppError } from '../kernel/errors.ts'

export type OperatorSetup = {
  isReady: () => Promise<boolean>
  /** Numbers for Prometheus; without them there is no such address. */
  metrics?: OperatorMetrics | undefined
}

export type OperatorMetrics = {
  /** What the asker has to bring as `Authorization: Bearer`. */
  token: string
  /** All numbers as text. */
  text: () => Promise<string>
  requestEnded: (end: { method: string; route: string; status: number; seconds: number }) => void
  refused: (code: string) => void
  watchConnections: (numbers: () => ConnectionNumbers) => void
}

const TEXT = 'text/plain; charset=utf-8'

export function registerOperator(app: FastifyInstance, { isReady, metrics }: OperatorSetup): void {
  app.get('/healthz', (_request, reply) => reply.type(TEXT).send('ok\n'))
  app.get('/readyz', async (_request, reply) => {
    const ready = await isReady()
    return reply
      .code(ready ? 200 : 503)
      .headers({ 'cache-control': 'no-store', ...(ready ? {} : { 'retry-after': '2' }) })
      .type(TEXT)
      .send(ready ? 'ready\n' : 'not ready\n')
  })
  if (metrics === undefined) return
  app.get('/metrics', async (request, reply) => {
    if (!bringsToken(request, metrics.token)) {
      const message = 'The numbers need the METRICS_TOKEN of this service as "Authorization: Bearer <token>".'
      throw new AppError('unauthorized', message, undefined, { 'www-authenticate': 'Bearer' })
    }
    const text = await metrics.text()
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(text)
  })
  app.addHook('onResponse', (request, reply, done) => {
    metrics.requestEnded(endOf(request, reply))
    done()
  })
}

/** Compared by hash, so that neither length nor content shows in the time it takes. */
function bringsToken(request: FastifyRequest, token: string): boolean {
  const brought = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(Buffer.from(sha256Hex(brought)), Buffer.from(sha256Hex(token)))
}

/** A template, never the address itself: ids, tokens and what people type stay out. */
const endOf = (request: FastifyRequest, reply: FastifyReply) => ({
  method: request.method,
  route: (request.is404 ? undefined : request.routeOptions.url) ?? 'none',
  status: reply.raw.statusCode,
  seconds: reply.elapsedTime / 1000,
})
