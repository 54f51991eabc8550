/** The headers of documents of standards. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { DocumentFormat } from '../../passports/documents/formats.ts'
import { ALLOW_ANY_ORIGIN } from '../http/cors.ts'
import type { Headers } from '../http/prepared-response.ts'
import type { SiteSetup } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { PASSPORT_VARY } from './access.ts'

/** The caller says whether it may be cached. Search engines must not list data without a page. */
export const buildDocumentHeaders = (
  { addresses }: SiteSetup,
  { mediaTypes, fileExtension }: DocumentFormat,
  { id }: Pick<PassportRow, 'id'>,
): Headers => ({
  ...buildSecurityHeaders(addresses.publicUrl),
  'content-type': mediaTypes[0],
  ...(fileExtension === undefined
    ? {}
    : { 'content-disposition': `attachment; filename="${idFromUuid(id)}.${fileExtension}"` }),
  'x-robots-tag': 'noindex',
})

export const buildPublicDocumentHeaders = (...input: Parameters<typeof buildDocumentHeaders>): Headers => ({
  ...buildDocumentHeaders(...input),
  ...ALLOW_ANY_ORIGIN,
  vary: PASSPORT_VARY,
})

/** Returns true if it is a ZIP file, which cannot be compressed again. */
export const isCompressed = ({ mediaTypes: [type] }: DocumentFormat): boolean => type.endsWith('+zip')
