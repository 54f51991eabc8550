/**
 * Redirects `/P/{ID}` to `/p/{id}`. The alphanumeric mode of QR codes, which makes small symbols, has
 * capitals only, so other systems print addresses in them.
 */
import { parseId } from '../../kernel/crypto/ids.ts'
import type { Addresses } from '../../passports/core/record.ts'
import { ALLOW_ANY_ORIGIN, type PublicHandler } from '../http/cors.ts'
import { getBasePath } from '../http/setup.ts'
import { buildSecurityHeaders } from '../page/shell.ts'
import { PRIVATE_HEADERS } from './access.ts'

/** The id, what is below it, and the query. */
const ADDRESS = /^\/p\/([^/?]{26})((?:\/[a-z][^?]*)?)((?:\?.*)?)$/is

const HAS_TOKEN = /[?&]access=/i

/** The same handlers, for addresses in lower case. No look-up is needed to redirect the others. */
export function redirectCapitals<P extends string>(
  addresses: Addresses,
  handlers: Record<P, PublicHandler>,
): Record<string, PublicHandler> {
  const wrap =
    (handle: PublicHandler): PublicHandler =>
    (request, reply) => {
      const path = findLowerCase(request.raw.url ?? '')
      if (path === undefined) return handle(request, reply)
      const { publicUrl } = addresses
      return reply
        .code(301)
        .headers({ ...buildSecurityHeaders(publicUrl), ...ALLOW_ANY_ORIGIN })
        .headers(HAS_TOKEN.test(path) ? PRIVATE_HEADERS : { 'cache-control': 'public, max-age=86400' })
        .header('location', `${getBasePath(publicUrl)}${path}`)
        .send('')
    }
  return Object.fromEntries(
    Object.entries<PublicHandler>(handlers).map(([path, handle]) => [path, wrap(handle)]),
  )
}

/** Undefined if the address has no id, or has it in lower case already. The query stays as it is. */
function findLowerCase(path: string): string | undefined {
  const [, sent = '', below = '', query = ''] = ADDRESS.exec(path) ?? []
  const id = sent.toLowerCase()
  if (parseId(id) === undefined || path.startsWith(`/p/${id}`)) return undefined
  // The names of submodels have capitals of their own.
  const rest = /^\/aas\//i.test(below) ? below.replace(/^\/aas\//i, '/aas/') : below.toLowerCase()
  return `/p/${id}${rest}${query}`
}
