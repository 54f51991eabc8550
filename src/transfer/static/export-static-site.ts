/**
 * Exports an account's public pages as files that any web server can serve at the same addresses. Each file
 * is the server's response; only links that need a query, such as `?lang=de`, are rewritten to files.
 */
import { dirname, posix } from 'node:path'
import { sanitizeSvg } from '../../accounts/brand/sanitize-svg.ts'
import { exportAccount } from '../../accounts/export-rows.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getSearchPath } from '../../kernel/db/shards.ts'
import { assert, findErrorCode, invalidInput, unavailable } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { exportAddresses, type PassportLine } from '../../passports/copies/export-rows.ts'
import { openStaticExport, type StaticExport, type StaticFile, withFolderLock } from './resumable-export.ts'
import type { SafeFolder } from './safe-folder.ts'

export type FetchedPage = { status: number; type: string; body: Buffer }

type StaticSiteSetup = {
  clock: Clock
  openPool: () => Sql
  /** Requests a path from the server, always as a public reader. */
  fetchPage: (path: string, accept: string) => Promise<FetchedPage>
  publicUrl: string
  /** Path of the vocabulary without a leading slash; undefined if it is hosted elsewhere. */
  namespace: string | undefined
}
type StaticSiteOptions = { accountId: number; dir: string; progress?: (passports: number) => void }
export type StaticSiteResult = {
  dir: string
  passports: number
  /** Passports that an interrupted earlier run had already written. */
  kept: number
  files: number
  bytes: number
  /** GS1 addresses that cannot be files, because their lot or serial contains a slash. */
  left_out: number
  sha256: string
}

const HTML = 'text/html'
/** The disk is full, or its quota is. */
const DISK_FULL_CODES = ['ENOSPC', 'EDQUOT']
const JSON_LD = 'application/ld+json'
/** Pages of one passport that are requested and written together: all languages. */
const PAGES_PER_BATCH = 32

/**
 * Throws `validation` unless the folder is empty or an unfinished export, `unavailable` while another process
 * writes.
 */
export const exportStaticSite = (
  setup: StaticSiteSetup,
  options: StaticSiteOptions,
): Promise<StaticSiteResult> => withFolderLock(options.dir, folder => write(setup, options, folder))

async function write(
  setup: StaticSiteSetup,
  options: StaticSiteOptions,
  folder: SafeFolder,
): Promise<StaticSiteResult> {
  const { accountId, dir } = options
  const site = await openStaticExport(
    { clock: setup.clock, dir, folder },
    { account: accountId, public_url: setup.publicUrl },
  )
  const { last, passports: kept } = site.resumed
  let { passports, left_out } = site.resumed
  const pool = setup.openPool()
  try {
    if (last === null) await writeVocabulary(setup, site)
    const sql = await pool.reserve()
    const { account, shards } = await exportAccount(sql, accountId)
    const { audience_profile = 'contract' } = account
    const { audience_profile: before = 'contract' } = site.resumed
    if (last !== null && before !== audience_profile) throw changedAudience(dir)
    const first = last?.shard === undefined ? 0 : shards.indexOf(last.shard)
    for (const [i, shard] of shards.slice(first).entries()) {
      if (shard !== null) await sql`select set_config('search_path', ${getSearchPath(shard)}, false)`
      for await (const { passport, gtins } of exportAddresses(sql, accountId, i === 0 ? last : null)) {
        await writePassport(setup, site, idFromUuid(passport.uuid))
        left_out += await writeRedirects(site, passport, gtins)
        const { level, uuid } = passport
        await site.save({
          last: { level, uuid, ...(shard !== null && { shard }) },
          passports: ++passports,
          left_out,
          audience_profile,
        })
        options.progress?.(passports)
      }
    }
    return { dir, passports, kept, left_out, ...(await site.finish()) }
  } catch (error) {
    if (!DISK_FULL_CODES.includes(findErrorCode(error) ?? '')) throw error
    throw unavailable(
      `The disk of ${dir} is full. Free some space and run the same command again: it continues there.`,
    )
  } finally {
    await site.close()
    await pool.end({ timeout: 0 })
  }
}

const changedAudience = (dir: string) =>
  invalidInput(
    `The account's audience profile has changed since ${dir} was begun. Export into an empty folder: earlier pages show other fields.`,
  )

async function getPage(setup: StaticSiteSetup, path: string, accept: string): Promise<Buffer> {
  const response = await setup.fetchPage(path, accept)
  assert(response.status === 200, `${path} has a page, not the status ${response.status}`)
  if (response.type !== 'image/svg+xml' || !path.startsWith('/brand/')) return response.body
  // An old logo may contain something that the sanitiser now removes, and other web servers lack our
  // Content-Security-Policy.
  return Buffer.from(sanitizeSvg(String(response.body))?.text ?? response.body)
}

async function writeVocabulary(setup: StaticSiteSetup, site: StaticExport): Promise<void> {
  const { namespace } = setup
  if (namespace === undefined) return
  await site.put(
    { path: `${namespace}/index.html`, body: await getPage(setup, `/${namespace}`, HTML) },
    { path: `${namespace}.jsonld`, body: await getPage(setup, `/${namespace}`, JSON_LD) },
  )
  for (let version = 1; ; version++) {
    const { status, body } = await setup.fetchPage(`/${namespace}/v${version}`, JSON_LD)
    if (status !== 200) return
    await site.put({ path: `${namespace}/v${version}`, body })
  }
}

/** Writes the page in its first language, then the pages of this passport to which it links. */
async function writePassport(setup: StaticSiteSetup, site: StaticExport, id: string): Promise<void> {
  const qr = { live: `/p/${id}/qr.svg`, accept: 'image/svg+xml', file: `p/${id}/qr.svg` }
  const waiting: Target[] = [qr, findTarget(id, new URLSearchParams())]
  const found = new Set(waiting.map(({ file }) => file))
  const follow = (to: Target) => {
    if (found.has(to.file) || site.has(to.file)) return
    found.add(to.file)
    waiting.push(to)
  }
  while (waiting.length > 0) {
    const batch = waiting.splice(0, PAGES_PER_BATCH)
    const bodies = await Promise.all(batch.map(({ live, accept }) => getPage(setup, live, accept)))
    const files = batch.map(({ file, accept }, n): StaticFile => {
      const body = bodies[n] ?? ''
      return { path: file, body: accept === HTML ? rewriteLinks(String(body), { id, file, follow }) : body }
    })
    await site.put(...files)
  }
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
      file: `${dir}/passport.${format}`,
    }
  }
  if (language === null || version !== null) {
    return { live: `/p/${id}${params && `?${params}`}`, accept: HTML, file: `${dir}/index.html` }
  }
  return { live: `/p/${id}?lang=${language}`, accept: HTML, file: `${dir}/${language}/index.html` }
}

const LINK = /\b(href|src|srcset)="([^"]*)"/g

function rewriteLinks(
  html: string,
  { id, file, follow }: { id: string; file: string; follow: (to: Target) => void },
): string {
  return html.replace(LINK, (attribute, name: string, value: string) => {
    const reference = value.replaceAll('&amp;', '&')
    if (reference.startsWith('#') || /^[a-z][a-z0-9+.-]*:|^\//i.test(reference)) return attribute
    const url = new URL(reference, `http://folder/p/${id}`)
    const [, folder = '', rest = ''] = url.pathname.split('/')
    if (folder === 'brand') {
      follow({ live: url.pathname, accept: '*/*', file: `brand/${rest}` })
      return `${name}="${posix.relative(dirname(file), `brand/${rest}`)}"`
    }
    const target = findTarget(rest, url.searchParams)
    if (rest === id) follow(target)
    return `${name}="${getRelativePath(file, target.file)}${url.hash}"`
  })
}

function getRelativePath(from: string, to: string): string {
  if (!to.endsWith('/index.html')) return posix.relative(dirname(from), to)
  return `${posix.relative(dirname(from), dirname(to)) || '.'}/`
}

/** Writes a redirect page at each GS1 address. Returns how many addresses cannot be files. */
async function writeRedirects(
  site: StaticExport,
  { uuid, lot, serial }: PassportLine,
  gtins: readonly string[],
): Promise<number> {
  const names = [...(lot === null ? [] : ['10', lot]), ...(serial === null ? [] : ['21', serial])]
  if (names.some(name => name.includes('/'))) return gtins.length
  const files = gtins.map(gtin => {
    const dir = ['01', gtin, ...names].join('/')
    const to = `${posix.relative(dir, `p/${idFromUuid(uuid)}`)}/`
    return { path: `${dir}/index.html`, body: buildRedirectPage(to) }
  })
  await site.put(...files)
  return 0
}

/** `to` needs no escaping, because it contains only dots, slashes and an id. */
const buildRedirectPage = (to: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Digital product passport</title>
<meta http-equiv="refresh" content="0; url=${to}"><meta name="robots" content="noindex"></head>
<body><p><a href="${to}">Digital product passport</a></p></body></html>
`
