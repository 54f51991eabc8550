/**
 * The headers that every answer of every door has, whatever it holds, also a refusal and also one without a body. A page
 * sets its own policy over them; whatever is no page may load nothing, stand in no frame and send no referrer.
 */
const YEAR_SECONDS = 31_536_000

/** `publicUrl`: by https, browsers are told to come by https for a year. */
export const defaultHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': transportSecurity(publicUrl) } : {}),
})

function transportSecurity(publicUrl: string): string {
  const scope = isBelowOwnDomain(new URL(publicUrl).hostname) ? '; includeSubDomains' : ''
  return `max-age=${YEAR_SECONDS}${scope}`
}

/**
 * Whether a host is certainly a subdomain of somebody's domain, so that nothing but ours lives below it. Never true for
 * the domain itself: `includeSubDomains` there would reach a brand's shop, mail and intranet (docs/security.md).
 */
export function isBelowOwnDomain(hostname: string): boolean {
  const labels = hostname.split('.')
  const [top = '', second = ''] = labels.toReversed()
  if (/^\d*$/.test(top)) return false
  // `co.uk`, `com.au`, `gouv.fr`: the domain itself may have three labels.
  const mayBePublicSuffix = top.length === 2 && second.length <= 4
  return labels.length >= (mayBePublicSuffix ? 4 : 3)
}
