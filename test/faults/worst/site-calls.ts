/**
 * The worst calls of all other addresses: public pages and documents, EN 18222, resolver, files, operator.
 */
import { ASSET_PATHS } from '../../../src/console/page/assets.ts'
import { DOCUMENT_FORMATS } from '../../../src/passports/documents/formats.ts'
import { nextGtin } from '../../harness.ts'
import { type Credential, type RouteCalls, varyRead, type WorstCall, withBodies } from './call.ts'
import { LANGUAGES, RICH } from './heavy-data.ts'
import type { Ask } from './send.ts'
import { JSON_SHAPES, LEGAL_JSON } from './shapes.ts'
import { FULL_LISTS, type World } from './world.ts'

const JSON_BYTES = 1024 * 1024
const NOBODY = '01m7zzzzzzzzzzzzzzzzzzzzzz'

let turn = 0

type Entry = {
  /** All addresses that are worth a call, the worst first. */
  paths: (world: World) => readonly string[]
  accepts?: readonly number[]
  headers?: Readonly<Record<string, string>>
  /** Changes a path for each attempt. */
  vary?: (path: string) => string
}

const ids = ({ products: { rich, crowded, long, values, item } }: World) => [
  rich,
  crowded,
  long,
  values,
  item,
]
const FORMATS = ['html', 'jsonld', ...DOCUMENT_FORMATS.map(({ id }) => id)]

/** By address: every route that is neither of the API nor a page of the console. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  '/healthz': { paths: () => ['/healthz'] },
  '/readyz': { paths: () => ['/readyz'] },
  '/readyz/writable': { paths: () => ['/readyz/writable'] },
  '/docs': { paths: () => ['/docs'] },
  '/docs/': { paths: () => ['/docs/'] },
  '/docs/docs.css': { paths: () => ['/docs/docs.css'] },
  '/docs/docs.js': { paths: () => ['/docs/docs.js'] },
  '/dpp/v1/openapi.json': { paths: () => ['/dpp/v1/openapi.json'] },
  '/p/:id': {
    paths: world => [
      ...ids(world).flatMap(id => FORMATS.map(format => `/p/${id}?format=${format}`)),
      ...LANGUAGES.map(language => `/p/${world.products.rich}?lang=${language}`),
      ...['version=1', 'version=200', 'access=junk', `access=dpa_${'0'.repeat(43)}`].map(
        query => `/p/${world.products.crowded}?${query}`,
      ),
      `/p/${NOBODY}`,
    ],
  },
  '/P/*': {
    paths: world => ids(world).map(id => `/P/${id.toUpperCase()}${'/y'.repeat(900)}`),
    accepts: [301],
  },
  '/p/:id/aas/:idShort': {
    paths: world =>
      ids(world).flatMap(id =>
        ['Nameplate', 'ProductData', 'TechnicalData'].map(name => `/p/${id}/aas/${name}`),
      ),
    accepts: [200, 404],
  },
  '/p/:id/qr.svg': { paths: world => ids(world).map(id => `/p/${id}/qr.svg?size_mm=200`) },
  '/p/:id/badge.svg': { paths: world => ids(world).map(id => `/p/${id}/badge.svg`) },
  '/p/:id/events': { paths: world => ids(world).map(id => `/p/${id}/events?limit=100`) },
  '/p/:id/signature': { paths: world => ids(world).map(id => `/p/${id}/signature`) },
  '/p/*': { paths: ({ products }) => [`/p/${products.rich}/x${'/y'.repeat(900)}`], accepts: [404] },
  '/brand/:file': {
    paths: () => [`/brand/${'a'.repeat(64)}.svg`, `/brand/${'%00'.repeat(500)}`],
    accepts: [404],
  },
  '/': { paths: () => ['/'] },
  '/robots.txt': { paths: () => ['/robots.txt'] },
  '/favicon.ico': { paths: () => ['/favicon.ico'] },
  '/sitemap.xml': { paths: () => ['/sitemap.xml'] },
  '/sitemap/:file': {
    paths: () => ['/sitemap/1.xml', '/sitemap/999999999.xml', '/sitemap/0.xml'],
    accepts: [200, 404],
  },
  '/m/:id/:file': {
    paths: ({ picture }) =>
      [320, 640, 1280].flatMap(width =>
        ['avif', 'webp', 'jpg'].map(type => `/m/${picture}/${width}.${type}`),
      ),
  },
  '/d/:id': { paths: ({ document, picture }) => [`/d/${document}`, `/d/${picture}`] },
  '/01': { paths: () => ['/01'], accepts: [400, 404] },
  '/01/*': {
    paths: ({ gtin, itemSerial }) => {
      const padded = gtin.padStart(14, '0')
      const link = `/01/${padded}`
      const types = ['all', 'linkset', 'gs1:pip', 'gs1:recallStatus', 'gs1:serviceInfo', 'gs1:dpp']
      return [
        ...types.map(type => `${link}?linkType=${type}`),
        `${link}/21/${itemSerial}`,
        `${link}/22/x/10/y/21/z`,
        `${link}/10/${'a'.repeat(20)}`,
        `/01/${nextGtin().padStart(14, '0')}`,
        `${link}${'/21/x'.repeat(1_000)}`,
        `${link}/21/${'%2F'.repeat(2_000)}`,
      ]
    },
  },
  '/gtin/*': { paths: () => [`/gtin/${'1'.repeat(2_000)}`], accepts: [400, 404] },
  '/.well-known/gs1resolver': { paths: () => ['/.well-known/gs1resolver'] },
  '/issuers/:name/did.json': {
    paths: ({ issuer }) => [`/issuers/${issuer}/did.json`, `/issuers/${'a'.repeat(2_000)}/did.json`],
  },
  '/.well-known/jwt-vc-issuer/issuers/:name': {
    paths: ({ issuer }) => [
      `/.well-known/jwt-vc-issuer/issuers/${issuer}`,
      `/.well-known/jwt-vc-issuer/issuers/${'a'.repeat(2_000)}`,
    ],
  },
  '/issuers/:name/status/:n': {
    paths: ({ issuer }) => [`/issuers/${issuer}/status/1`, `/issuers/${issuer}/status/999999999`],
    accepts: [200, 404],
  },
  '/issuers/:name/messages/:n': {
    paths: ({ issuer }) => [`/issuers/${issuer}/messages/1`, `/issuers/${issuer}/messages/999999999`],
    accepts: [200, 404],
    vary: path => path.replace(/\/messages\/1$/, () => `/messages/${1 + (turn++ % FULL_LISTS)}`),
  },
  '/issuers/:name/status/:n/token': {
    paths: ({ issuer }) => [`/issuers/${issuer}/status/1/token`],
    accepts: [200, 404],
  },
  '/console/': { paths: () => ['/console/'] },
  '/console/*': { paths: () => [`/console/x${'/y'.repeat(900)}`], accepts: [404] },
}

/** Groups of addresses whose entry is the address itself. */
const AS_IT_IS = (url: string) => ASSET_PATHS.includes(url) || url.startsWith('/ns/')

export const listSiteCalls = (world: World, urls: readonly string[]): RouteCalls[] =>
  urls.flatMap(url => {
    const entry = ENTRIES[url] ?? (AS_IT_IS(url) ? { paths: () => [url] } : undefined)
    if (entry === undefined) return []
    const { accepts } = entry
    return [{ route: `GET ${url}`, calls: listReads(world, entry), ...(accepts && { accepts }) }]
  })

function listReads(world: World, { paths, vary = path => path }: Entry): WorstCall[] {
  const credential = 'anonymous'
  const all = paths(world)
  const make = (path: string) => (): Ask => ({ method: 'GET', path: vary(path) })
  const languages = {
    'accept-language': LANGUAGES.map((one, n) => `${one};q=${(1 - n / 100).toFixed(2)}`).join(),
  }
  return [
    ...all.map(path => ({ name: path.slice(0, 60), credential, make: make(path) }) as const),
    {
      name: 'all languages',
      credential,
      make: () => ({ method: 'GET', path: all[0] ?? '/', headers: languages }),
    },
    ...withLink(world, all),
    ...varyRead(make(all[0] ?? '/'), credential),
  ]
}

/** A page for an access link is never cached. */
const withLink = ({ linkToken }: World, paths: readonly string[]): WorstCall[] =>
  paths
    .filter(path => path.startsWith('/p/'))
    .map(path => ({
      name: `${path.slice(0, 50)} with a link`,
      credential: 'link',
      make: () => ({ method: 'GET', path, headers: { authorization: `Bearer ${linkToken}` } }),
    }))

const DPP = '/dpp/v1/*'

/** The door of EN 18222, whose routes are one address to the router. */
export function listDppCalls(world: World): RouteCalls[] {
  const encode = encodeURIComponent
  const pageOf = (id: string) => encode(`${world.stand.url}/p/${id}`)
  const authorize = (credential: Credential): Record<string, string> => {
    const token = { 'full key': world.keys.full, 'read key': world.keys.read, link: world.linkToken }
    const sent = token[credential as keyof typeof token]
    return sent === undefined ? {} : { authorization: `Bearer ${sent}` }
  }
  const readers = ['read key', 'link', 'anonymous'] as const
  const product = encode(`https://id.gs1.org/01/${world.gtin.padStart(14, '0')}`)
  const paths = [
    ...ids(world).flatMap(id =>
      ['compressed', 'full'].map(form => `/dpps/${pageOf(id)}?representation=${form}`),
    ),
    `/dppsByIdAndDate/${pageOf(world.products.crowded)}?date=2099-01-01T00:00:00Z`,
    `/dppsByProductId/${product}`,
    `/dpps/${pageOf(world.products.rich)}/elements/${encode('$.' + 'a.'.repeat(1_000))}`,
    `/dpps/${pageOf(world.products.values)}/elements/k0`,
    `/dpps/${'%2F'.repeat(2_000)}`,
  ]
  const types = [
    'application/json',
    'application/ld+json',
    ...DOCUMENT_FORMATS.map(({ mediaTypes: [type] }) => type),
  ]
  const read = (path: string, credential: Credential, accept = '*/*'): WorstCall => ({
    name: `${path.slice(0, 30)} ${accept}`,
    credential,
    make: () => ({ method: 'GET', path: `/dpp/v1${path}`, headers: { ...authorize(credential), accept } }),
  })
  const [first = ''] = paths
  const gets = [
    ...paths.flatMap(path => readers.map(one => read(path, one))),
    ...types.flatMap(type => readers.map(one => read(first, one, type))),
    ...varyRead(() => ({ method: 'GET', path: `/dpp/v1${first}` }), 'anonymous'),
  ]
  const send =
    (method: string, path: string, credential: Credential) =>
    (body: Buffer): Ask => ({
      method,
      path: `/dpp/v1${path}`,
      body,
      headers: {
        ...authorize(credential),
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
    })
  const shapes = [...JSON_SHAPES, ...LEGAL_JSON]
  const wrap = (member: string, value: Buffer) =>
    Buffer.concat([Buffer.from(`{"${member}":`), value, Buffer.from('}')])
  const identifiers = Buffer.from(
    JSON.stringify({
      productIds: Array.from(
        { length: 100 },
        (_, n) => `https://id.gs1.org/01/${world.gtin.padStart(14, '0')}/21/C${n}`,
      ),
    }),
  )
  const lookUp = send('POST', '/dppsByProductIds', 'anonymous')
  const rich = `/dpps/${pageOf(world.products.rich)}`
  const patch = send('PATCH', rich, 'full key')
  const posts: WorstCall[] = [
    { name: 'dppsByProductIds', credential: 'anonymous', make: () => lookUp(identifiers) },
    ...withBodies(shapes, JSON_BYTES - 40, body => lookUp(wrap('productIds', body)), 'anonymous'),
    ...withBodies(JSON_SHAPES, JSON_BYTES, lookUp, 'anonymous'),
    ...withBodies(shapes, JSON_BYTES, send('POST', '/dpps', 'full key'), 'full key'),
    ...withBodies(JSON_SHAPES.slice(0, 2), JSON_BYTES, send('POST', '/dpps', 'anonymous'), 'anonymous'),
    ...withBodies(JSON_SHAPES.slice(0, 2), JSON_BYTES, send('POST', '/registerDPP', 'full key'), 'full key'),
  ]
  const change = () =>
    Buffer.from(JSON.stringify({ weightGrams: ++turn, careInstructions: RICH.data.careInstructions }))
  return [
    { route: `GET ${DPP}`, calls: gets },
    { route: `POST ${DPP}`, calls: posts },
    {
      route: `PATCH ${DPP}`,
      calls: [
        { name: 'change', credential: 'full key', make: () => patch(change()) },
        ...withBodies(shapes, JSON_BYTES, patch, 'full key'),
        ...withBodies(shapes, JSON_BYTES - 40, body => patch(wrap('note', body)), 'full key'),
        ...withBodies(
          JSON_SHAPES,
          JSON_BYTES,
          send('PATCH', `${rich}/elements/note`, 'full key'),
          'full key',
        ),
      ],
    },
    {
      route: `DELETE ${DPP}`,
      accepts: [200, 204, 404],
      calls: [
        {
          name: 'of nobody',
          credential: 'full key',
          make: () => send('DELETE', `/dpps/${NOBODY}`, 'full key')(Buffer.alloc(0)),
        },
      ],
    },
  ]
}
