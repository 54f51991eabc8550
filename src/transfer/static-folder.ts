/**
 * An account's public pages as files that any web server can serve at the addresses they had: the passports outlive
 * whoever kept them. What is written is what the server answers, asked for it page by page; only links that a folder
 * could not answer, such as `?lang=de`, lead to a page of their own.
 */
import { hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Sql } from '../kernel/db.ts'
import { AppError, assert } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { exportAddresses, type PassportLine } from '../passports/export-rows.ts'

export type Answer = { status: number; type: string; body: Buffer }

export type StaticSetup = {
  openPool: () => Sql
  /** Asks the server for a path below its public address; never as somebody who may see more than the public. */
  ask: (path: string, accept: string) => Promise<Answer>
  /** Path of the vocabulary without a slash before it; undefined when it is kept elsewhere. */
  namespace: string | undefined
}
export type StaticWish = { accountId: number; dir: string; progress?: (passports: number) => void }
export type StaticResult = {
  dir: string
  passports: number
  files: number
  bytes: number
  /** GS1 addresses that no folder can answer, because a lot or serial in them has a slash. */
  left_out: number
  sha256: string
}

const HTML = 'text/html'
const JSON_LD = 'application/ld+json'

/** Writes the folder, which must be new or empty. Throws `validation` when it is not. */
export async function exportStatic(setup: StaticSetup, wish: StaticWish): Promise<StaticResult> {
  const folder = await openFolder(wish.dir)
  const pool = setup.openPool()
  let passports = 0
  let left_out = 0
  try {
    await writeVocabulary(setup, folder)
    const one = (await pool.reserve()) as unknown as Sql
    for await (const { passport, gtins } of exportAddresses(one, wish.accountId)) {
      await writePassport(setup, folder, idFromUuid(passport.uuid))
      left_out += await writeRedirects(folder, passport, gtins)
      wish.progress?.(++passports)
    }
    const written = await folder.close()
    return { dir: wish.dir, passports, left_out, ...written }
  } finally {
    await pool.end({ timeout: 0 })
  }
}

type Folder = {
  put: (path: string, body: Buffer | string) => Promise<void>
  has: (path: string) => boolean
  close: () => Promise<{ files: number; bytes: number; sha256: string }>
}

/** `manifest.ndjson` has a line for each file, and a last one with the hash of the lines before it. */
async function openFolder(dir: string): Promise<Folder> {
  const manifest = await openManifest(dir)
  /** Logos are shared by all pages; everything else is asked for once. */
  const shared = new Set<string>()
  let files = 0
  let bytes = 0
  let lines = hash('sha256', '', 'hex')
  return {
    has: path => shared.has(path),
    async put(path, body) {
      if (path.startsWith('brand/')) shared.add(path)
      const content = Buffer.from(body)
      const at = join(dir, path)
      await mkdir(dirname(at), { recursive: true })
      await writeFile(at, content, { flag: 'wx' })
      const line = `${JSON.stringify({ path, sha256: hash('sha256', content, 'hex'), bytes: content.length })}\n`
      lines = hash('sha256', lines + line, 'hex')
      files++
      bytes += content.length
      await manifest.write(line)
    },
    async close() {
      await manifest.write(`${JSON.stringify({ files, bytes, sha256: lines })}\n`)
      await manifest.sync()
      await manifest.close()
      return { files, bytes, sha256: lines }
    },
  }
}

async function openManifest(dir: string): Promise<FileHandle> {
  try {
    await mkdir(dir, { recursive: true })
    if ((await readdir(dir)).length > 0)
      throw new AppError('validation', `${dir} is not empty: name a folder that is new.`)
    return await open(join(dir, 'manifest.ndjson'), 'wx')
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new AppError('validation', `${dir} is no folder that can be written into (${error.code}).`)
  }
}

async function get(setup: StaticSetup, path: string, accept: string): Promise<Buffer> {
  const answer = await setup.ask(path, accept)
  assert(answer.status === 200, `${path} is answered by a page, not by ${answer.status}`)
  return answer.body
}

async function writeVocabulary(setup: StaticSetup, folder: Folder): Promise<void> {
  const { namespace } = setup
  if (namespace === undefined) return
  await folder.put(`${namespace}/index.html`, await get(setup, `/${namespace}`, HTML))
  await folder.put(`${namespace}.jsonld`, await get(setup, `/${namespace}`, JSON_LD))
  for (let version = 1; ; version++) {
    const { status, body } = await setup.ask(`/${namespace}/v${version}`, JSON_LD)
    if (status !== 200) return
    await folder.put(`${namespace}/v${version}`, body)
  }
}

/** The page in its first language, then whatever its links lead to that is about this passport. */
async function writePassport(setup: StaticSetup, folder: Folder, id: string): Promise<void> {
  const found = new Set<string>()
  const waiting: Target[] = [targetOf(id, new URLSearchParams())]
  await folder.put(`p/${id}/qr.svg`, await get(setup, `/p/${id}/qr.svg`, 'image/svg+xml'))
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    if (found.has(target.file) || folder.has(target.file)) continue
    found.add(target.file)
    const body = await get(setup, target.live, target.accept)
    const isPage = target.accept === HTML
    await folder.put(target.file, isPage ? relink(body.toString('utf8'), id, target.file, waiting) : body)
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
function relink(html: string, id: string, file: string, waiting: Target[]): string {
  return html.replace(LINK, (attribute, name: string, value: string) => {
    const reference = value.replaceAll('&amp;', '&')
    if (reference.startsWith('#') || /^[a-z][a-z0-9+.-]*:|^\//i.test(reference)) return attribute
    const url = new URL(reference, `http://folder/p/${id}`)
    const [, room = '', rest = ''] = url.pathname.split('/')
    if (room === 'brand') {
      waiting.push({ live: url.pathname, accept: '*/*', file: `brand/${rest}` })
      return `${name}="${posix.relative(dirname(file), `brand/${rest}`)}"`
    }
    const target = targetOf(rest, url.searchParams)
    if (rest === id) waiting.push(target)
    return `${name}="${pathBetween(file, target.file)}${url.hash}"`
  })
}

/** From one page's folder to another's, or to a file. */
function pathBetween(from: string, to: string): string {
  if (!to.endsWith('/index.html')) return posix.relative(dirname(from), to)
  return `${posix.relative(dirname(from), dirname(to)) || '.'}/`
}

/** A page at each GS1 address that leads on to the passport; how many addresses cannot be files. */
async function writeRedirects(
  folder: Folder,
  passport: PassportLine,
  gtins: readonly string[],
): Promise<number> {
  let impossible = 0
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
    await folder.put(`${dir}/index.html`, redirectPage(to))
  }
  return impossible
}

/** `to` has nothing that HTML would read as its own: dots, slashes and an id. */
const redirectPage = (to: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Digital product passport</title>
<meta http-equiv="refresh" content="0; url=${to}"><meta name="robots" content="noindex"></head>
<body><p><a href="${to}">Digital product passport</a></p></body></html>
`
