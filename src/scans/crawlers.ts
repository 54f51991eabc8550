/** Recognises crawlers and link previews by their user agent: their requests are not scans. */
import { createIsbotFromList, list } from 'isbot'

/**
 * Patterns of isbot's list that we leave out: they match the mere form of a user agent, or generic clients, test
 * browsers and apps that scan codes. All of these count as readers.
 */
const NOT_ABOUT_CRAWLERS = new Set([
  ...[
    '(?<!cam)scan',
    '(?<!lib)http',
    ';\\s\\w+;$',
    '\\(\\)',
    '\\b\\w+/1\\.0;',
    '\\bperl\\b',
    '\\btime/',
    '\\|',
  ],
  ...['\\bdlc\\b', '\\bort/', '^[<\\(;]', '^[\\w\\-]+/[\\w]+$', '^[^ ]{50,}$', '^\\d+\\b'],
  '^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)',
  ...['^\\w+/[\\w\\(\\)]*$', '^\\w+/\\d\\.\\d\\s\\([\\w@]+\\)$', '^mozilla/\\d\\.\\d\\s[\\w\\.-]+$'],
  '^mozilla/\\d\\.\\d\\s\\((?:compatible;)?(?:\\s?[\\w\\d-.]+[\\s/]\\d+\\.\\d+)?\\)$',
  ...[
    '^active',
    '^amaya',
    '^apache/',
    '^client/',
    '^custom',
    '^dispatch/\\d',
    '^email',
    '^jetty/',
    '^netsurf',
  ],
  ...[
    '^offbyone',
    'offbyone',
    '^php',
    '^postman',
    '^python',
    '^read',
    '^reed',
    '^rest',
    '^svn',
    '^track',
    '^wget',
  ],
  ...[
    'agent\\b',
    'capture',
    'catch',
    'chromeframe',
    'cypress/',
    'detect',
    'download',
    'headless',
    'ibisbrowser',
  ],
  ...['java(?!;)', 'library', 'node\\b', 'phantomjs', 'playwright', 'proxy', 'rexx;', 'selenium', 'server'],
  ...[
    'tools',
    'torrent',
    '^avsdevicesdk/',
    '^microsoft bits',
    'browsex',
    'dmbrowser',
    'cursor/',
    '^claude-code/',
  ],
])

/** Crawlers name a web address in their user agent; the other patterns replace the ones that we leave out. */
const ADDED = [
  ...['\\bhttps?://', 'mailto:', 'fetcher\\b', 'facebookcatalog', 'meta-external', '-user/\\d', 'cardyb'],
  ...[
    '(?:image|e?mail)proxy',
    'imgproxy',
    'catchpoint',
    'gomezagent',
    'check_http',
    'prometheus/',
    'kube-probe',
  ],
  ...['^monit/', 'updown\\.io', 'sitesucker', 'webcollage', 'onetrust'],
]
const isDeclared = createIsbotFromList([
  ...list.filter(pattern => !NOT_ABOUT_CRAWLERS.has(pattern)),
  ...ADDED,
])

/** HTTP clients for any program; some name the address of their manual. */
const GENERIC =
  /^(?:curl|wget|node-fetch|undici|got|axios|k6|httpie|python|aiohttp|okhttp|java|go-http-client|libwww)\b/i

/** Security bound for the patterns. Real user agents have a third of it. */
const MAX_USER_AGENT_LENGTH = 512

/** Whether this user agent declares itself a crawler or a link preview. */
export const isCrawler = (userAgent: string): boolean =>
  !GENERIC.test(userAgent) && isDeclared(userAgent.slice(0, MAX_USER_AGENT_LENGTH))
