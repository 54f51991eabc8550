/** Recognises crawlers and link previews by their user agent: their requests are not scans. */
import { createIsbotFromList, list } from 'isbot'
import patterns from '../../assets/crawlers.json' with { type: 'json' }

/**
 * `excluded`: patterns of isbot's list that match generic clients, test browsers, apps that scan codes, or
 * any user agent of some form. All of these count as readers. `added`: web addresses, which crawlers contain,
 * and replacements of excluded patterns.
 */
const { excluded, added } = patterns
const matchesPattern = createIsbotFromList([...list.filter(pattern => !excluded.includes(pattern)), ...added])

/** HTTP clients of any program. Some contain a web address, that of their manual. */
const GENERIC_CLIENT =
  /^(?:curl|wget|node-fetch|undici|got|axios|k6|httpie|python|aiohttp|okhttp|java|go-http-client|libwww)\b/i

/** Security bound, also for the patterns here. Real user agents have a third of it. */
export const MAX_USER_AGENT_LENGTH = 512

/** Returns true if a user agent says that it is a crawler or a link preview. */
export const isCrawler = (userAgent: string): boolean =>
  !GENERIC_CLIENT.test(userAgent) && matchesPattern(userAgent.slice(0, MAX_USER_AGENT_LENGTH))
