/**
 * Public pages as files that any web server can serve at the same addresses. Each file is the server's
 * response; only links that need a query, such as `?lang=de`, are rewritten to files.
 */
import { dirname, posix } from 'node:path'
import { sanitizeSvg } from '../../accounts/brand/sanitize-svg.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { assert, unavailable } from '../../kernel/errors/errors.ts'
import type { PassportLine } from '../../passports/copies/export-rows.ts'
import type { PublicPassportRow } from '../../passports/read/find.ts'

export type FetchedPage = { status: number; type: string; body: Buffer }

/** Reads what the public sees of a passport, as the server sends it. */
export type PublicPassport = {
  row: PublicPassportRow
  renderQrSymbol: () => string
  /** The page or JSON-LD document at this query. */
  render: (query: Readonly<Record<string, string>>) => Promise<string>
}

export type StaticPages = {
  /** Reads a passport. Rendering all its pages needs nothing more, unless it has earlier versions. */
  openPassport: (id: string) => Promise<PublicPassport>
  /** Requests any other path from the server, always as a public reader. */
  fetchPage: (path: string, accept: string) => Promise<FetchedPage>
  /** Without a slash at the end. */
  publicUrl: string
  /** Path of the vocabulary without a leading slash; undefined if it is hosted elsewhere. */
  namespace: string | undefined
}

/** `path` has slashes. */
export type StaticFile = { path: string; body: Buffer | string }

export type PageTarget = {
  /** Returns true if a file that many pages share is already written. */
  has: (path: string) => boolean
  put: (...files: readonly StaticFile[]) => Promise<void>
}

const HTML = 'text/html'
const JSON_LD = 'application/ld+json'
/** Pages of one passport that are in memory together: all languages. */
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

/** Writes the pages of a passport to which its first page leads, and the files that they show. */
export async function writePassportPages(
  setup: StaticPages,
  site: PageTarget,
  id: string,
  passport: PublicPassport,
): Promise<void> {
  const { waiting, shared, rewrite } = openCrawl(id)
  await site.put({ path: `p/${id}/qr.svg`, body: passport.renderQrSymbol() })
  for (let files: StaticFile[] = []; waiting.length > 0; files = []) {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      const body = await passport.render(target.query)
      files.push({ path: target.file, body: target.isPage ? rewrite(body, target.file) : body })
      if (files.length === PAGES_PER_BATCH) break
    }
    await site.put(...files)
  }
  const missing = shared.filter(path => !site.has(path))
  for (let n = 0; n < missing.length; n += SHARED_FILES_PER_BATCH) {
    const batch = missing.slice(n, n + SHARED_FILES_PER_BATCH)
    const bodies = await Promise.all(batch.map(path => getSharedFile(setup, path, id)))
    await site.put(...batch.map((path, at): StaticFile => ({ path, body: bodies[at] ?? '' })))
  }
}

/** Follows the links of a passport's pages. `shared`: the paths of files that they show, each once. */
function openCrawl(id: string) {
  const waiting = [findTarget(id, new URLSearchParams())]
  const shared: string[] = []
  const found = new Set(waiting.map(({ file }) => file))
  const rewrite = createLinkRewriter(id, (file, target) => {
    if (found.has(file)) return
    found.add(file)
    if (target === undefined) shared.push(file)
    else waiting.push(target)
  })
  return { waiting, shared, rewrite }
}

/** Throws `unavailable` for a picture or document that is not in the store. */
async function getSharedFile(setup: StaticPages, path: string, id: string): Promise<Buffer> {
  if (path.startsWith('brand/')) return getStaticPage(setup, `/${path}`, '*/*')
  const { status, body } = await setup.fetchPage(`/${path}`, '*/*')
  if (status === 200) return body
  throw unavailable(
    `The product ${setup.publicUrl}/p/${id} shows the file /${path}, but the server answers ${status} instead of sending it. If doctor --verify says that it is missing, send the same file again (POST /media, or the console) or restore it from a backup. Then run the same command again: it continues there.`,
  )
}

/** A page or document of a passport, and the file that will have it. */
type Target = { query: Readonly<Record<string, string>>; isPage: boolean; file: string }

/** Finds the file of a page or document. Earlier versions are exported in their first language only. */
function findTarget(id: string, query: URLSearchParams): Target {
  const version = query.get('version')
  const language = query.get('lang')
  const dir = version === null ? `p/${id}` : `p/${id}/v/${version}`
  const ofVersion = version === null ? {} : { version }
  const format = query.get('format')
  if (format !== null && format !== 'html') {
    return { query: { ...ofVersion, format }, isPage: false, file: `${dir}/${getDocumentFile(format)}` }
  }
  if (language === null || version !== null) {
    return { query: ofVersion, isPage: true, file: `${dir}/index.html` }
  }
  return { query: { lang: language }, isPage: true, file: `${dir}/${language}/index.html` }
}

/** The name of a document's file, with an extension from which web servers tell its type. */
export const getDocumentFile = (format: string): string =>
  `passport.${format}${/^(jsonld|aasx|vc-jwt|sd-jwt)$/.test(format) ? '' : '.json'}`

/** Fragments and the account's own addresses stay as they are. */
const LINK = /\b(href|src|srcset)="(?!#|\/|[A-Za-z][A-Za-z0-9+.-]*:)([^"]*)"/g
/** Folders of files that pages share: logos, pictures, documents. A name never stands for other bytes. */
const SHARED_FILE = /^(?:brand|m|d)\//

export const isSharedFile = (path: string): boolean => SHARED_FILE.test(path)

const INDEX = '/index.html'

/** Where a link leads from the page in a file. */
type Link = (from: string) => string

/**
 * For the pages of one passport. They have the same links, and each is resolved once. `follow` gets no target
 * for a file that passports share.
 */
function createLinkRewriter(id: string, follow: (file: string, target?: Target) => void) {
  const links = new Map<string, Link | undefined>()
  const resolve = (value: string): Link | undefined => {
    // Links of the page itself are relative. Others are the account's, and may lead to nothing.
    const reference = value.replaceAll('&amp;', '&')
    if (reference.startsWith('#') || /^[a-z][a-z0-9+.-]*:|^\//i.test(reference)) return undefined
    const url = new URL(reference, `http://folder/p/${id}`)
    const path = url.pathname.slice(1)
    if (isSharedFile(path)) {
      follow(path)
      return createLink(path)
    }
    const [, rest = ''] = path.split('/')
    const target = findTarget(rest, url.searchParams)
    if (rest === id) follow(target.file, target)
    return createLink(target.file, url.hash)
  }
  const rewriteLink = (value: string, file: string): string => {
    if (!links.has(value)) links.set(value, resolve(value))
    return links.get(value)?.(file) ?? value
  }
  return (html: string, file: string): string =>
    html.replace(LINK, (_, name: string, value: string) => {
      const values =
        name === 'srcset'
          ? value.replaceAll(
              CANDIDATE,
              (_, before: string, address: string) => before + rewriteLink(address, file),
            )
          : rewriteLink(value, file)
      return `${name}="${values}"`
    })
}

/** An address in a `srcset`; a width or density may follow it. Ours have no commas. */
const CANDIDATE = /((?:^|,)\s*)([^\s,]+)/g

/** Pages in folders beside each other, such as those of all languages, share the way out of these. */
function createLink(file: string, fragment = ''): Link {
  const isIndex = file.endsWith(INDEX)
  const to = isIndex ? dirname(file) : file
  const end = (isIndex ? '/' : '') + fragment
  const outside = new Map<string, string>()
  return from => {
    const dir = dirname(from)
    if (to === dir || to.startsWith(`${dir}/`)) return (getRelative(dir, to) || '.') + end
    const above = dirname(dir)
    const path = outside.get(above) ?? ['..', getRelative(above, to)].filter(part => part !== '').join('/')
    outside.set(above, path)
    return path + end
  }
}

/**
 * Takes two paths without dots. `posix.relative` resolves both first, which took a twentieth of an export.
 */
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
