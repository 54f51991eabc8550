/**
 * An account's public pages as files that any web server can serve at the addresses they had: the passports outlive
 * whoever kept them. What is written is what the server answers, asked for it page by page; only links that a folder
 * could not answer, such as `?lang=de`, lead to a page of their own.
 */
import { dirname, posix } from 'node:path'
import { sanitizeSvg } from '../../accounts/brand/sanitize-svg.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError, assert } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { exportAddresses, type PassportLine } from '../../passports/copies/export-rows.ts'
import { inFolder, openSite, type Site, type SiteFile } from './resumable-export.ts'
import type { SafeFolder } from './safe-folder.ts'

export type FetchedPage = { status: number; type: string; body: Buffer }

export type StaticSiteSetup = {
  clock: Clock
  openPool: () => Sql
  /** Asks the server for a path below its public address; never as somebody who may see more than the public. */
  fetchPage: (path: string, accept: string) => Promise<FetchedPage>
  publicUrl: string
  /** Path of the vocabulary without a slash before it; undefined when it is kept elsewhere. */
  namespace: string | undefined
}
export type StaticSiteOptions = { accountId: number; dir: string; progress?: (passports: number) => void }
export type StaticSiteResult = {
  dir: string
  passports: number
  /** How many of them an earlier run had written, which was ended. */
  kept: number
  files: number
  bytes: number
  /** GS1 addresses that no folder can answer, because a lot or serial in them has a slash. */
  left_out: number
  sha256: string
}

const HTML = 'text/html'
/** A disk, or what one may have of it. */
const FULL = ['ENOSPC', 'EDQUOT']
const JSON_LD = 'application/ld+json'
/** Pages of a passport that are asked for and written together: those in all languages. */
const AT_ONCE = 32

/**
 * Writes the folder, which must be new or empty, or goes on with one that was not finished. Throws `validation` when it
 * is neither, `unavailable` while another process writes it.
 */
export const exportStaticSite = (
  setup: StaticSiteSetup,
  wish: StaticSiteOptions,
): Promise<StaticSiteResult> => inFolder(wish.dir, folder => write(setup, wish, folder))

async function write(
  setup: StaticSiteSetup,
  wish: StaticSiteOptions,
  folder: SafeFolder,
): Promise<StaticSiteResult> {
  const { accountId, dir } = wish
  const site = await openSite(
    { clock: setup.clock, dir, folder },
    { account: accountId, public_url: setup.publicUrl },
  )
  const { last, passports: kept } = site.begun
  let { passports, left_out } = site.begun
  const pool = setup.openPool()
  try {
    if (last === null) await writeVocabulary(setup, site)
    const one = (await pool.reserve()) as unknown as Sql
    for await (const { passport, gtins } of exportAddresses(one, accountId, last)) {
      await writePassport(setup, site, idFromUuid(passport.uuid))
      left_out += await writeRedirects(site, passport, gtins)
      await site.mark({
        last: { level: passport.level, uuid: passport.uuid },
        passports: ++passports,
        left_out,
      })
      wish.progress?.(passports)
    }
    return { dir, passports, kept, left_out, ...(await site.finish()) }
  } catch (error) {
    if (!FULL.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const sentence = `There is no room left for ${dir}. Make some and run the same command again: it goes on from there.`
    throw new AppError('unavailable', sentence)
  } finally {
    await site.close()
    await pool.end({ timeout: 0 })
  }
}

async function get(setup: StaticSiteSetup, path: string, accept: string): Promise<Buffer> {
  const answer = await setup.fetchPage(path, accept)
  assert(answer.status === 200, `${path} is answered by a page, not by ${answer.status}`)
  if (answer.type !== 'image/svg+xml' || !path.startsWith('/brand/')) return answer.body
  // A logo of before may call what the cleaner drops now; another web server need not have our policy against it.
  return Buffer.from(sanitizeSvg(String(answer.body))?.text ?? answer.body)
}

async function writeVocabulary(setup: StaticSiteSetup, site: Site): Promise<void> {
  const { namespace } = setup
  if (namespace === undefined) return
  await site.put(
    { path: `${namespace}/index.html`, body: await get(setup, `/${namespace}`, HTML) },
    { path: `${namespace}.jsonld`, body: await get(setup, `/${namespace}`, JSON_LD) },
  )
  for (let version = 1; ; version++) {
    const { status, body } = await setup.fetchPage(`/${namespace}/v${version}`, JSON_LD)
    if (status !== 200) return
    await site.put({ path: `${namespace}/v${version}`, body })
  }
}

/** The page in its first language, then whatever its links lead to that is about this passport, and what theirs do. */
async function writePassport(setup: StaticSiteSetup, site: Site, id: string): Promise<void> {
  const qr = { live: `/p/${id}/qr.svg`, accept: 'image/svg+xml', file: `p/${id}/qr.svg` }
  const waiting: Target[] = [qr, targetOf(id, new URLSearchParams())]
  const found = new Set(waiting.map(({ file }) => file))
  const lead = (to: Target) => {
    if (found.has(to.file) || site.has(to.file)) return
    found.add(to.file)
    waiting.push(to)
  }
  while (waiting.length > 0) {
    const batch = waiting.splice(0, AT_ONCE)
    const bodies = await Promise.all(batch.map(({ live, accept }) => get(setup, live, accept)))
    const files = batch.map(({ file, accept }, n): SiteFile => {
      const body = bodies[n] ?? ''
      return { path: file, body: accept === HTML ? relink(String(body), { id, file, lead }) : body }
    })
    await site.put(...files)
  }
}

type Target = { live: string; accept: string; file: string }

/** A page or document of a passport. Earlier versions are kept in their first language. */
function targetOf(id: string, query: URLSearchParams): Target {
  const version = query.get('version')
  const language = query.get('lang')
  const dir = version === null ? `p/${id}` : `p/${id}/v/${version}`
  const asked = version === null ? '' : `version=${version}`
  if (query.get('format') === 'jsonld') {
    return {
      live: `/p/${id}?${asked && `${asked}&`}format=jsonld`,
      accept: JSON_LD,
      file: `${dir}/passport.jsonld`,
    }
  }
  if (language === null || version !== null) {
    return { live: `/p/${id}${asked && `?${asked}`}`, accept: HTML, file: `${dir}/index.html` }
  }
  return { live: `/p/${id}?lang=${language}`, accept: HTML, file: `${dir}/${language}/index.html` }
}

const LINK = /\b(href|src|srcset)="([^"]*)"/g

/** Links of a page that are relative lead on to where they are in the folder; what they lead to is to be written too. */
function relink(
  html: string,
  { id, file, lead }: { id: string; file: string; lead: (to: Target) => void },
): string {
  return html.replace(LINK, (attribute, name: string, value: string) => {
    const reference = value.replaceAll('&amp;', '&')
    if (reference.startsWith('#') || /^[a-z][a-z0-9+.-]*:|^\//i.test(reference)) return attribute
    const url = new URL(reference, `http://folder/p/${id}`)
    const [, room = '', rest = ''] = url.pathname.split('/')
    if (room === 'brand') {
      lead({ live: url.pathname, accept: '*/*', file: `brand/${rest}` })
      return `${name}="${posix.relative(dirname(file), `brand/${rest}`)}"`
    }
    const target = targetOf(rest, url.searchParams)
    if (rest === id) lead(target)
    return `${name}="${pathBetween(file, target.file)}${url.hash}"`
  })
}

/** From one page's folder to another's, or to a file. */
function pathBetween(from: string, to: string): string {
  if (!to.endsWith('/index.html')) return posix.relative(dirname(from), to)
  return `${posix.relative(dirname(from), dirname(to)) || '.'}/`
}

/** A page at each GS1 address that leads on to the passport; how many addresses cannot be files. */
async function writeRedirects(site: Site, passport: PassportLine, gtins: readonly string[]): Promise<number> {
  let impossible = 0
  const files: SiteFile[] = []
  for (const gtin of gtins) {
    const names = [
      ...(passport.lot === null ? [] : ['10', passport.lot]),
      ...(passport.serial === null ? [] : ['21', passport.serial]),
    ]
    if (names.some(name => name.includes('/'))) {
      impossible++
      continue
    }
    const dir = ['01', gtin, ...names].join('/')
    const to = `${posix.relative(dir, `p/${idFromUuid(passport.uuid)}`)}/`
    files.push({ path: `${dir}/index.html`, body: redirectPage(to) })
  }
  await site.put(...files)
  return impossible
}

/** `to` has nothing that HTML would read as its own: dots, slashes and an id. */
const redirectPage = (to: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Digital product passport</title>
<meta http-equiv="refresh" content="0; url=${to}"><meta name="robots" content="noindex"></head>
<body><p><a href="${to}">Digital product passport</a></p></body></html>
`
