/**
 * Redirects `/P/{ID}` to `/p/{id}`. The alphanumeric mode of QR codes, which makes small symbols, has
 * capitals only, so other systems print addresses in them.
 */
import { parseId } from '../../kernel/ids.ts'
import { type Addresses, passportUrl } from '../../passports/core/record.ts'
import { ALLOW_ANY_ORIGIN, type PublicHandler } from '../http/cors.ts'
import { buildSecurityHeaders } from '../page/shell.ts'

/** The id, what is below it, and the query. */
const ADDRESS = /^\/p\/([^/?]{26})((?:\/[^?]*)?)((?:\?.*)?)$/is

/** The same handlers, for addresses in lower case. No look-up is needed to redirect the others. */
export function redirectCapitals<P extends string>(
  addresses: Addresses,
  handlers: Record<P, PublicHandler>,
): Record<string, PublicHandler> {
  const wrap =
    (handle: PublicHandler): PublicHandler =>
    (request, reply) => {
      const target = findLowerCase(addresses, request.raw.url ?? '')
      if (target === undefined) return handle(request, reply)
      return (
        reply
          // A query may have the token of an access link.
          .headers({
            ...buildSecurityHeaders(addresses.publicUrl),
            ...ALLOW_ANY_ORIGIN,
            'cache-control': target.hasQuery ? 'no-store' : 'public, max-age=86400',
          })
          .redirect(target.url, 301)
      )
    }
  return Object.fromEntries(
    Object.entries<PublicHandler>(handlers).map(([path, handle]) => [path, wrap(handle)]),
  )
}

/** Undefined if the address has no id, or has it in lower case already. The query stays as it is. */
function findLowerCase(addresses: Addresses, path: string) {
  const [, sent = '', below = '', query = ''] = ADDRESS.exec(path) ?? []
  const id = sent.toLowerCase()
  if (parseId(id) === undefined || path.startsWith(`/p/${id}`)) return undefined
  // The names of submodels have capitals of their own.
  const rest = /^\/aas\//i.test(below) ? below.replace(/^\/aas\//i, '/aas/') : below.toLowerCase()
  return { url: `${passportUrl(addresses, id)}${rest}${query}`, hasQuery: query !== '' }
}
