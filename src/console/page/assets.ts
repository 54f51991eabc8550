/** The console's style sheet and modules. Their addresses contain their hash, so they are cached for good. */

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getQuery } from '../../kernel/http/request-input.ts'
import { compactCss } from '../../kernel/text/compact-css.ts'
import { compactModule } from '../../kernel/text/compact-module.ts'

type Asset = { path: string; href: string; etag: string; digest: string; type: string; bytes: Buffer }

const FOLDER = new URL('../../../assets/', import.meta.url)

function asset(path: string, file: string, type: string): Asset {
  const text = readFileSync(new URL(file, FOLDER), 'utf8')
  const bytes = Buffer.from((file.endsWith('.css') ? compactCss : compactModule)(text))
  const digest = hash('sha256', bytes, 'base64url').slice(0, 16)
  return { path, href: `${path}?v=${digest}`, etag: `"${digest}"`, digest, type, bytes }
}

const CSS_TYPE = 'text/css; charset=utf-8'
const STYLE = asset('/console/console.css', 'console.css', CSS_TYPE)

/** By file name without extension; only these are served. */
const listAssets = (ending: string, type: string) =>
  new Map(
    readdirSync(new URL('console/', FOLDER))
      .filter(file => file.endsWith(ending))
      .map(file => [file.slice(0, -ending.length), asset(`/console/${file}`, `console/${file}`, type)]),
  )

const MODULES = listAssets('.js', 'text/javascript; charset=utf-8')
const STYLES = listAssets('.css', CSS_TYPE)

const ALL = [STYLE, ...STYLES.values(), ...MODULES.values()]

/** The module that keeps unsaved input. */
export const DRAFTS_MODULE = 'drafts'
/** The module that does so for forms without a draft of their own. */
export const TYPED_MODULE = 'typed-input'
/** The module that sends a form once when its button is clicked twice. */
export const DOUBLE_CLICK_MODULE = 'double-click'

export const STYLE_HREF = STYLE.href
export const ASSET_PATHS = ALL.map(one => one.path)

/** The address of a module in `assets/console`. An unknown name is a bug. */
export const moduleHref = (name: string): string => getHref(MODULES, `${name}.js`)

/** The address of a style sheet in `assets/console`. An unknown name is a bug. */
export const styleHref = (name: string): string => getHref(STYLES, `${name}.css`)

function getHref(assets: ReadonlyMap<string, Asset>, file: string): string {
  const found = assets.get(file.slice(0, file.lastIndexOf('.')))
  if (found === undefined) throw new Error(`there is no assets/console/${file}`)
  return found.href
}

export function registerAssets(door: FastifyInstance): void {
  for (const one of ALL) door.get(one.path, (request, reply) => send(one, request, reply))
}

function send({ digest, etag, type, bytes }: Asset, request: FastifyRequest, reply: FastifyReply) {
  const isNamed = getQuery(request).v === digest
  reply.headers({
    etag,
    'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    'cross-origin-resource-policy': 'same-origin',
  })
  const known = request.headers['if-none-match'] ?? ''
  if (known.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)) return reply.code(304).send()
  return reply.type(type).send(bytes)
}
