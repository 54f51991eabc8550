/** Recognises crawlers and link previews by their user agent: their requests are not scans. */
import { createIsbotFromList, list } from 'isbot'
import patterns from '../../assets/crawlers.json' with { type: 'json' }

/**
 * `excluded`: patterns of isbot's list that match the mere form of a user agent, generic clients, test
 * browsers or apps that scan codes; all of these count as readers. `added`: web addresses, which crawlers
 * name, and replacements.
 */
const { excluded, added } = patterns
const isDeclared = createIsbotFromList([...list.filter(pattern => !excluded.includes(pattern)), ...added])

/** HTTP clients for any program; some name the address of their manual. */
const GENERIC =
  /^(?:curl|wget|node-fetch|undici|got|axios|k6|httpie|python|aiohttp|okhttp|java|go-http-client|libwww)\b/i

/** Security bound for the patterns. Real user agents have a third of it. */
const MAX_USER_AGENT_LENGTH = 512

/** Whether this user agent declares itself a crawler or a link preview. */
export const isCrawler = (userAgent: string): boolean =>
  !GENERIC.test(userAgent) && isDeclared(userAgent.slice(0, MAX_USER_AGENT_LENGTH))
