/** The QR symbol of a product over REST; the public page serves the same one without a key. */
import { invalid } from '../../kernel/errors.ts'
import { getQrAddress } from '../../passports/core/record.ts'
import { getPassport, requireProductUuid } from '../../passports/read/find.ts'
import { QR_LEVELS } from '../../qr/modules.ts'
import { renderQrSvg, SIZE_MM, SVG_HEADERS } from '../../qr/svg.ts'
import { matchesAny } from '../endpoint/conditions.ts'
import type { AccountCall, ApiResponse } from '../endpoint/endpoint.ts'
import { detail, integer, oneOf, readQuery } from '../endpoint/query.ts'

const QR_QUERY = {
  content: oneOf('passport', 'gs1'),
  ecc: oneOf(...QR_LEVELS),
  /** As `ecc` was called first. */
  level: oneOf(...QR_LEVELS),
  size_mm: integer(...SIZE_MM),
}

export async function readQr(call: AccountCall): Promise<ApiResponse> {
  const { content = 'passport', ecc, level = ecc ?? 'M', size_mm: sizeMm } = readQuery(call.query, QR_QUERY)
  if (ecc !== undefined && level !== ecc) {
    throw invalid([detail('level', 'duplicate', 'level is another name of ecc; send one of them.')])
  }
  const row = await getPassport(call.account, requireProductUuid(call.params.id ?? ''))
  const symbol = renderQrSvg(getQrAddress(call.setup.addresses, row, content), { level, sizeMm })
  const headers = { ...SVG_HEADERS, etag: symbol.etag, 'cache-control': 'private, max-age=300' }
  if (matchesAny(call.headers['if-none-match'], symbol.etag)) return { status: 304, body: '', headers }
  return { body: symbol.svg, headers }
}
