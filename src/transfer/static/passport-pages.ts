/**
 * Public pages as files that any web server can serve at the same addresses. Each file is the server's
 * response; only links that need a query, such as `?lang=de`, are rewritten to files.
 */
import { dirname, posix } from 'node:path'
import { sanitizeSvg } from '../../accounts/brand/sanitize-svg.ts'
import { assert, unavailable } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import type { PassportLine } from '../../passports/copies/export-rows.ts'

export type FetchedPage = { status: number; type: string; body: Buffer }

export type StaticPages = {
  /** Requests a path from the server, always as a public reader. */
  fetchPage: (path: string, accept: string) => Promise<FetchedPage>
  /** Without a slash at the end. */
  publicUrl: string
  /** Path of the vocabulary without a leading slash; undefined if it is hosted elsewhere. */
  namespace: string | undefined
}

/** `path` has slashes. */
export type StaticFile = { path: string; body: Buffer | string }

export type PageTarget = {
  /** Whether a file that many pages share is already written. */
  has: (path: string) => boolean
  put: (...files: readonly StaticFile[]) => Promise<void>
}

const HTML = 'text/html'
const JSON_LD = 'application/ld+json'
/** Pages of one passport that are requested together: all languages. */
const PAGES_PER_BATCH = 32
/** Pictures and documents, which have up to 20 MB each. */
const SHARED_FILES_PER_BATCH = 4

export async function getStaticPage(setup: StaticPages, path: string, accept: string): Promise<Buffer> {
  const response = await setup.fetchPage(path, accept)
  assert(response.status === 200, `${path} has a page, not the status ${response.status}`)
  if (response.type !== 'image/svg+xml' || !path.startsWith('/brand/')) return response.body
  // An old logo may contain something that the sanitiser now removes, and other web servers lack our
  // Content-Security-Policy.
  return Buffer.from(sanitizeSvg(String(response.body))?.text ?? response.body)
}

export async function writeVocabulary(setup: StaticPages, site: PageTarget): Promise<void> {
  const { namespace } = setup
  if (namespace === undefined) return
  await site.put(
    { path: `${namespace}/index.html`, body: await getStaticPage(setup, `/${namespace}`, HTML) },
    { path: `${namespace}.jsonld`, body: await getStaticPage(setup, `/${namespace}`, JSON_LD) },
    { path: `${namespace}/terms`, body: await getStaticPage(setup, `/${namespace}/terms`, JSON_LD) },
  )
  for (let version = 1; ; version++) {
    const { status, body } = await setup.fetchPage(`/${namespace}/v${version}`, JSON_LD)
    if (status !== 200) return
    await site.put({ path: `${namespace}/v${version}`, body })
  }
}

/** Pages of a passport that wait to be written. Files that passports share are fetched later, in its turn. */
export type PreparedPages = { files: readonly StaticFile[]; crawl: Crawl }

/** Fetches the page in its first language, then the first of those to which it links: all languages. */
export async function preparePassportPages(setup: StaticPages, id: string): Promise<PreparedPages> {
  const crawl = openCrawl(setup, id)
  const first = await crawl.fetchNext()
  return { files: [...first, ...(await crawl.fetchNext())], crawl }
}

/** Writes the pages of a passport to which its first page leads, and the files that they show. */
export async function writePassportPages(
  setup: StaticPages,
  site: PageTarget,
  id: string,
  prepared?: PreparedPages,
): Promise<void> {
  const { files, crawl } = prepared ?? (await preparePassportPages(setup, id))
  await site.put(...files)
  while (crawl.waiting.length > 0) await site.put(...(await crawl.fetchNext()))
  const missing = crawl.shared.filter(({ file }) => !site.has(file))
  for (let n = 0; n < missing.length; n += SHARED_FILES_PER_BATCH) {
    const batch = missing.slice(n, n + SHARED_FILES_PER_BATCH)
    const bodies = await Promise.all(batch.map(target => getTarget(setup, target, id)))
    await site.put(...batch.map(({ file }, at): StaticFile => ({ path: file, body: bodies[at] ?? '' })))
  }
}

type Crawl = ReturnType<typeof openCrawl>

/** Follows the links of a passport's pages. `shared`: the files that they show, each once. */
function openCrawl(setup: StaticPages, id: string) {
  const qr = { live: `/p/${id}/qr.svg`, accept: 'image/svg+xml', file: `p/${id}/qr.svg` }
  const waiting: Target[] = [qr, findTarget(id, new URLSearchParams())]
  const shared: Target[] = []
  const found = new Set(waiting.map(({ file }) => file))
  const links = createLinkRewriter(id, target => {
    if (found.has(target.file)) return
    found.add(target.file)
    const list = isSharedFile(target.file) ? shared : waiting
    list.push(target)
  })
  return {
    waiting,
    shared,
    async fetchNext(): Promise<StaticFile[]> {
      const batch = waiting.splice(0, PAGES_PER_BATCH)
      const bodies = await Promise.all(batch.map(target => getTarget(setup, target, id)))
      return batch.map(({ file, accept }, n): StaticFile => {
        const body = bodies[n] ?? ''
        return { path: file, body: accept === HTML ? links.rewrite(String(body), file) : body }
      })
    },
  }
}

/** Throws `unavailable` for a picture or document that is not in the store. */
async function getTarget(setup: StaticPages, { live, accept }: Target, id: string): Promise<Buffer> {
  if (!/^\/[md]\//.test(live)) return getStaticPage(setup, live, accept)
  const { status, body } = await setup.fetchPage(live, accept)
  if (status === 200) return body
  throw unavailable(
    `The product ${setup.publicUrl}/p/${id} shows the file ${live}, but the server answers ${status} instead of sending it. If doctor --verify says that it is missing, send the same file again (POST /media, or the console) or restore it from a backup. Then run the same command again: it continues there.`,
  )
}

type Target = { live: string; accept: string; file: string }

/** Finds the file of a page or document. Earlier versions are exported in their first language only. */
function findTarget(id: string, query: URLSearchParams): Target {
  const version = query.get('version')
  const language = query.get('lang')
  const dir = version === null ? `p/${id}` : `p/${id}/v/${version}`
  const params = version === null ? '' : `version=${version}`
  const format = query.get('format')
  if (format !== null && format !== 'html') {
    return {
      live: `/p/${id}?${params && `${params}&`}format=${format}`,
      accept: '*/*',
      file: `${dir}/${getDocumentFile(format)}`,
    }
  }
  if (language === null || version !== null) {
    return { live: `/p/${id}${params && `?${params}`}`, accept: HTML, file: `${dir}/index.html` }
  }
  return { live: `/p/${id}?lang=${language}`, accept: HTML, file: `${dir}/${language}/index.html` }
}

/** The name of a document's file, with an extension from which web servers tell its type. */
export const getDocumentFile = (format: string): string =>
  `passport.${format}${/^(jsonld|aasx|vc-jwt|sd-jwt)$/.test(format) ? '' : '.json'}`

const LINK = /\b(href|src|srcset)="([^"]*)"/g
/** Folders of files that pages share: logos, pictures, documents. A name never stands for other bytes. */
const SHARED_FILE = /^(?:brand|m|d)\//

export const isSharedFile = (path: string): boolean => SHARED_FILE.test(path)

/** The file to which a link leads, and the fragment in it. */
type Link = { file: string; fragment: string }

/** For the pages of one passport. They have the same links, and each is resolved once. */
function createLinkRewriter(id: string, follow: (to: Target) => void) {
  const links = new Map<string, Link | undefined>()
  const resolve = (value: string): Link | undefined => {
    // Links of the page itself are relative. Others are the account's, and may lead to nothing.
    const reference = value.replaceAll('&amp;', '&')
    if (reference.startsWith('#') || /^[a-z][a-z0-9+.-]*:|^\//i.test(reference)) return undefined
    const url = new URL(reference, `http://folder/p/${id}`)
    const path = url.pathname.slice(1)
    if (isSharedFile(path)) {
      follow({ live: url.pathname, accept: '*/*', file: path })
      return { file: path, fragment: '' }
    }
    const [, rest = ''] = path.split('/')
    const target = findTarget(rest, url.searchParams)
    if (rest === id) follow(target)
    return { file: target.file, fragment: url.hash }
  }
  const rewriteLink = (value: string, file: string): string => {
    if (!links.has(value)) links.set(value, resolve(value))
    const link = links.get(value)
    return link === undefined ? value : `${getRelativePath(file, link.file)}${link.fragment}`
  }
  return {
    rewrite: (html: string, file: string): string =>
      html.replace(LINK, (_, name: string, value: string) => {
        const values =
          name === 'srcset'
            ? value.replaceAll(
                CANDIDATE,
                (_, before: string, address: string) => before + rewriteLink(address, file),
              )
            : rewriteLink(value, file)
        return `${name}="${values}"`
      }),
  }
}

/** An address in a `srcset`; a width or density may follow it. Ours have no commas. */
const CANDIDATE = /((?:^|,)\s*)([^\s,]+)/g

function getRelativePath(from: string, to: string): string {
  if (!to.endsWith(INDEX)) return getRelative(dirname(from), to)
  return `${getRelative(dirname(from), dirname(to)) || '.'}/`
}

const INDEX = '/index.html'

/** Of two paths without dots. `posix.relative` resolves both first, which took a twentieth of an export. */
function getRelative(dir: string, to: string): string {
  const above = dir.split('/')
  const names = to.split('/')
  let same = 0
  while (same < above.length && same < names.length && above[same] === names[same]) same++
  return [...above.slice(same).fill('..'), ...names.slice(same)].join('/')
}

/** A redirect page for each GS1 address; undefined if they cannot be files, because a name has a slash. */
export function buildRedirects(
  { uuid, lot, serial }: Pick<PassportLine, 'uuid' | 'lot' | 'serial'>,
  gtins: readonly string[],
): StaticFile[] | undefined {
  const names = [...(lot === null ? [] : ['10', lot]), ...(serial === null ? [] : ['21', serial])]
  if (names.some(name => name.includes('/'))) return undefined
  return gtins.map(gtin => {
    const dir = ['01', gtin, ...names].join('/')
    const to = `${posix.relative(dir, `p/${idFromUuid(uuid)}`)}/`
    return { path: `${dir}/index.html`, body: buildRedirectPage(to) }
  })
}

/** `to` needs no escaping, because it contains only dots, slashes and an id. */
const buildRedirectPage = (to: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Digital product passport</title>
<meta http-equiv="refresh" content="0; url=${to}"><meta name="robots" content="noindex"></head>
<body><p><a href="${to}">Digital product passport</a></p></body></html>
`
