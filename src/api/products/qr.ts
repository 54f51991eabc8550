/** The QR code of a product; the public page serves the same symbol without a key. */

import { matchesAny } from '../../kernel/http/entity-tags.ts'
import { getQrAddress } from '../../passports/core/record.ts'
import { getPassport } from '../../passports/read/find.ts'
import { QR_LEVELS } from '../../qr/modules.ts'
import { renderQrSvg, SIZE_MM, SVG_HEADERS } from '../../qr/svg.ts'
import { TEXT } from '../endpoint/documented-response.ts'
import { defineEndpoint } from '../endpoint/endpoint.ts'
import { IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { choiceParameter, integerParameter, invalidQuery, withDefault } from '../endpoint/query-parameters.ts'

const DEFAULT_LEVEL = 'M'
const [MIN_SIZE_MM, MAX_SIZE_MM] = SIZE_MM
const { fallback: _, ...ecc } = withDefault(
  choiceParameter('Error correction level.', QR_LEVELS),
  DEFAULT_LEVEL,
)

export const readQr = defineEndpoint({
  method: 'GET',
  path: '/products/:id/qr',
  id: 'getQr',
  tag: 'products',
  summary: 'Get the QR code of a product',
  description:
    'SVG with a quiet zone of four modules. It contains the address of the public page, or the GS1 address with `content=gs1`. Both are plain QR codes, as GS1 Digital Link requires. The symbol is also public at `/p/{id}/qr.svg`.',
  query: {
    content: withDefault(choiceParameter('Which address it contains.', ['passport', 'gs1']), 'passport'),
    // The handler applies the default: without `ecc`, `level` decides.
    ecc,
    level: choiceParameter('Another name for `ecc`.', QR_LEVELS),
    size_mm: integerParameter('Printed width in millimetres, including the quiet zone.', {
      min: MIN_SIZE_MM,
      max: MAX_SIZE_MM,
    }),
  },
  requestHeaders: [IF_NONE_MATCH],
  responses: {
    200: {
      description: 'The symbol.',
      type: 'image/svg+xml',
      schema: TEXT,
    },
  },
  async handle({ setup, headers: { 'if-none-match': known }, account, path, query }) {
    const { content, ecc, level = ecc ?? DEFAULT_LEVEL, size_mm: sizeMm } = query
    if (ecc !== undefined && level !== ecc) {
      throw invalidQuery('level', 'duplicate', 'level is another name for ecc; send one of them.')
    }
    const row = await getPassport(account, path.id)
    const symbol = renderQrSvg(getQrAddress(setup.addresses, row, content), { level, sizeMm })
    const headers = { ...SVG_HEADERS, etag: symbol.etag, 'cache-control': 'private, max-age=300' }
    if (matchesAny(known, symbol.etag)) return { status: 304, body: '', headers }
    return { body: symbol.svg, headers }
  },
})
