/** `/p/{id}/qr.svg`: the QR symbol of a passport, for whoever prints or shows one. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Detail, invalid, notFound } from '../kernel/errors.ts'
import { readPublicPassport } from '../passports/public-read.ts'
import { symbolAddress } from '../passports/record.ts'
import { QR_LEVELS, qrSymbol, SVG_HEADERS } from '../qr/svg.ts'
import { readyAnswer, sendEncoded } from './ready-answer.ts'
import type { SiteSetup } from './setup.ts'
import { safetyHeaders } from './shell.ts'

type Query = Readonly<Record<string, unknown>>

const CONTENTS = ['passport', 'gs1'] as const

/** Throws `not_found`, `validation`. */
export async function answerSymbol(
  setup: SiteSetup,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { id = '' } = request.params as { id?: string }
  const { content, level } = readChoices(request.query as Query)
  const row = await readPublicPassport(setup.sql, id, setup.clock.now())
  if (row === undefined) throw notFound('passport')
  const { svg } = qrSymbol(symbolAddress(setup.addresses, row, content), { level })
  const symbol = readyAnswer({
    body: svg,
    tag: `${content}.${level}`,
    headers: {
      ...safetyHeaders(setup.addresses.publicUrl),
      ...SVG_HEADERS,
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    },
  })
  return sendEncoded(request, reply, symbol)
}

function readChoices(query: Query) {
  const details: Detail[] = []
  const choose = <const T extends string>(name: string, allowed: readonly T[], usual: T): T => {
    const asked = query[name]
    const found = asked === undefined ? usual : allowed.find(one => one === asked)
    if (found !== undefined) return found
    const message = `${name} must be one of ${allowed.join(', ')}.`
    details.push({ field: name, pointer: `/${name}`, code: 'enum', message })
    return usual
  }
  const choices = { content: choose('content', CONTENTS, 'passport'), level: choose('level', QR_LEVELS, 'M') }
  if (details.length > 0) throw invalid(details)
  return choices
}
