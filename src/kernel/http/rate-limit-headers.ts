/** The headers that tell a client about its rate limit. */

/** `nextFreeAt`: in ms; the header is in seconds. */
export const rateLimitHeaders = (decision: { limit: number; remaining: number; nextFreeAt: number }) => ({
  'x-ratelimit-limit': String(decision.limit),
  'x-ratelimit-remaining': String(decision.remaining),
  'x-ratelimit-reset': String(Math.ceil(decision.nextFreeAt / 1000)),
})
