/**
 * The headers of every response. Pages have their own security policy. Any other response may load nothing
 * and must not be framed.
 */
const YEAR_SECONDS = 31_536_000

/** For pages: none of these features may be used. */
export const PERMISSIONS_POLICY =
  'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()'

/** If `publicUrl` is https, browsers must use https for a year. */
export const defaultHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': hstsDirectives(publicUrl) } : {}),
})

const hstsDirectives = (publicUrl: string) =>
  `max-age=${YEAR_SECONDS}${isBelowOwnDomain(new URL(publicUrl).hostname) ? '; includeSubDomains' : ''}`

/**
 * True if a host is certainly a subdomain, so that everything below it is ours. Never true for a registrable
 * domain, where `includeSubDomains` would affect a brand's shop, mail and intranet (docs/security.md).
 */
export function isBelowOwnDomain(hostname: string): boolean {
  const labels = hostname.split('.')
  const [top = '', second = ''] = labels.toReversed()
  if (/^\d*$/.test(top)) return false
  // `co.uk`, `com.au`, `gouv.fr`: the domain itself may have three labels.
  const mayBePublicSuffix = top.length === 2 && second.length <= 4
  return labels.length >= (mayBePublicSuffix ? 4 : 3)
}
