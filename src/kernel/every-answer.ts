/** The headers that every answer of every door has, whatever it holds, also a refusal and also one without a body. */
const YEAR_SECONDS = 31_536_000

/** `publicUrl`: by https, browsers are told to come by https for a year. */
export const headersOfAll = (publicUrl: string): Readonly<Record<string, string>> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
})
