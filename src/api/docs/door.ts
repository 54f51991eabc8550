/** `/docs`: the reference page, its style sheet and its script. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { PERMISSIONS_POLICY } from '../../kernel/http/default-headers.ts'
import { rejectMethods } from '../../kernel/http/reject-methods.ts'
import { once } from '../../kernel/values/memo.ts'
import { documentResponse, type PreparedDocument, prepareDocument } from '../endpoint/prepared-document.ts'
import { renderDocsPage } from './page.ts'
import type { ApiDocument } from './read-document.ts'

const DOCS_PATH = '/docs'

/** No inline code or style, nothing from other origins. The page's script calls only this origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const SECURITY_HEADERS = {
  'referrer-policy': 'no-referrer',
  'permissions-policy': PERMISSIONS_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
/** The address of a file contains its hash. */
const CACHE_FOR_A_DAY = 'public, max-age=86400'

const asset = (name: string, type: string) => {
  const text = readFileSync(new URL(`../../../assets/${name}`, import.meta.url), 'utf8')
  const digest = hash('sha256', text, 'base64url').slice(0, 12)
  return { text, type, href: `docs/${name}?v=${digest}` }
}

const STYLE = asset('docs.css', 'text/css; charset=utf-8')
const SCRIPT = asset('docs.js', 'text/javascript; charset=utf-8')

/** Registers the page and its files. It shows no data of an account and needs no key. */
export function registerDocs(app: FastifyInstance, buildDocument: () => object): void {
  const documents: Readonly<Record<string, () => PreparedDocument>> = {
    [DOCS_PATH]: once(() => preparePage(buildDocument())),
    [`${DOCS_PATH}/docs.css`]: once(() => prepareAsset(STYLE)),
    [`${DOCS_PATH}/docs.js`]: once(() => prepareAsset(SCRIPT)),
  }
  for (const [path, document] of Object.entries(documents)) {
    app.get(path, (request, reply) => send(request, reply, document()))
    rejectMethods(app, { method: OTHER_METHODS, url: path }, 'GET, HEAD')
  }
  app.get(`${DOCS_PATH}/`, (_request, reply) => reply.redirect(DOCS_PATH, 308))
}

function preparePage(openapi: object): PreparedDocument {
  // The page reads the document as a client would: as JSON.
  const document: ApiDocument = JSON.parse(JSON.stringify(openapi))
  return prepareDocument(renderDocsPage(document, { style: STYLE.href, script: SCRIPT.href }), {
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'public, no-cache',
  })
}

const prepareAsset = ({ text, type }: { text: string; type: string }) =>
  prepareDocument(text, { ...SECURITY_HEADERS, 'content-type': type, 'cache-control': CACHE_FOR_A_DAY })

function send(request: FastifyRequest, reply: FastifyReply, document: PreparedDocument): FastifyReply {
  const { status, headers, body } = documentResponse(request, document)
  return reply
    .code(status ?? 200)
    .headers(headers ?? {})
    .send(body)
}

const OTHER_METHODS: HTTPMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']
