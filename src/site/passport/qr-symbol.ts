/** `/p/{id}/qr.svg`: the QR symbol of a passport. */
import type { FastifyReply } from 'fastify'
import { parseId } from '../../kernel/crypto/ids.ts'
import { type Detail, type DetailCode, invalid, notFound } from '../../kernel/errors/errors.ts'
import { getPathParameters, getQuery } from '../../kernel/http/request-input.ts'
import { getQrAddress, gs1Url, passportUrl } from '../../passports/core/record.ts'
import { findCachedMetadata, readPublicPassport } from '../../passports/read/public-passport.ts'
import { QR_LEVELS, type QrLevel } from '../../qr/modules.ts'
import { renderQrSvg, SIZE_MM, SVG_HEADERS } from '../../qr/svg.ts'
import { prepareResponse, sendPrepared } from '../http/prepared-response.ts'
import type { SiteContext } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { sendLinkToPassport } from './errors.ts'
import { prefersHtml } from './formats.ts'

const CONTENTS = ['passport', 'gs1'] as const

/** Throws `not_found`, `validation`, `rate_limited`. */
export async function sendQrSymbol(setup: SiteContext, reply: FastifyReply): Promise<unknown> {
  const { id = '' } = getPathParameters(reply.request)
  const options = parseOptions(getQuery(reply.request))
  if (parseId(id) === undefined) throw notFound('passport')
  return setup.uncachedLimit.run(reply, () => createQrSymbol(setup, reply, id, options))
}

async function createQrSymbol(
  { sql, clock, addresses }: SiteContext,
  reply: FastifyReply,
  id: string,
  { content, level, sizeMm }: SymbolOptions,
): Promise<unknown> {
  const now = clock.now()
  const row = findCachedMetadata(sql, id, now) ?? (await readPublicPassport(sql, id, now))
  if (row === undefined) throw notFound('passport')
  const { accept } = reply.request.raw.headers
  if (content === 'gs1' && gs1Url(addresses, row) === null && prefersHtml(accept)) {
    return sendLinkToPassport(addresses.publicUrl, reply, 404, passportUrl(addresses, id))
  }
  const { svg } = renderQrSvg(getQrAddress(addresses, row, content), { level, sizeMm })
  const symbol = prepareResponse({
    body: svg,
    etagPrefix: `${content}.${level}`,
    headers: {
      ...buildSecurityHeaders(addresses.publicUrl),
      ...SVG_HEADERS,
      // Shops show it, also those that embed nothing without this (HTML, Cross-Origin-Embedder-Policy).
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    },
  })
  return sendPrepared(reply, symbol)
}

type SymbolOptions = { content: (typeof CONTENTS)[number]; level: QrLevel; sizeMm: number | undefined }

/** The same parameters as `GET /products/{id}/qr` has. Others are ignored, as on every public page. */
function parseOptions(query: ReturnType<typeof getQuery>): SymbolOptions {
  const details: Detail[] = []
  const addError = (name: string, code: DetailCode, message: string) => {
    details.push({ path: [name], in: 'query', code, message })
    return undefined
  }
  const parseChoice = <const T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const requested = query[name]
    if (requested === undefined) return undefined
    const found = allowed.find(one => one === requested)
    return found ?? addError(name, 'enum', `${name} must be one of ${allowed.join(', ')}.`)
  }
  const content = parseChoice('content', CONTENTS) ?? 'passport'
  const level = parseChoice('level', QR_LEVELS)
  const ecc = parseChoice('ecc', QR_LEVELS) ?? level
  if (level !== undefined && level !== ecc) {
    addError('level', 'duplicate', 'level is another name for ecc; send one of them.')
  }
  const sizeMm = parseSize(query.size_mm, message => addError('size_mm', 'type', message))
  if (details.length > 0) throw invalid(details)
  return { content, level: ecc ?? 'M', sizeMm }
}

function parseSize(requested: unknown, addError: (message: string) => undefined): number | undefined {
  if (requested === undefined) return undefined
  const [min, max] = SIZE_MM
  const size =
    typeof requested === 'string' && /^[0-9]{1,4}$/.test(requested) ? Number(requested) : Number.NaN
  if (size >= min && size <= max) return size
  return addError(`size_mm must be a whole number of millimetres from ${min} to ${max}.`)
}
