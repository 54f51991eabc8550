/**
 * Alters proofs, documents and credentials member by member: `carnet verify` refuses each, or prints the
 * altered member under "not proven" and nothing else differently.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommandLine } from '../../src/cli/run.ts'
import { isObject } from '../../src/kernel/values/data-object.ts'
import { addProof } from '../../src/standards/signing/data-integrity.ts'
import { signJws } from '../../src/standards/signing/jws.ts'
import { buildMerkleProof, computeMerkleRoot } from '../../src/standards/signing/merkle-tree.ts'
import { buildMirrorManifest } from '../../src/standards/signing/mirror-manifest.ts'
import {
  buildStatusListCredential,
  buildTokenStatusList,
  createStatusBits,
  STATUS_LIST_JWT,
} from '../../src/standards/signing/status-list.ts'
import { buildVersionEntry, ENTRY_FORMATS } from '../../src/standards/signing/version-entry.ts'
import { buildVersionProof } from '../../src/standards/signing/version-proof.ts'
import { createRandom } from '../standards/random.ts'
import { readExample, TEST_DID, testSigner, vectors } from '../standards/signing-examples.ts'
import { emptyFolder } from './processes.ts'

type Json = { [name: string]: unknown }
type Path = readonly (string | number)[]

const DID = join(import.meta.dirname, '../standards/examples/did-example.json')
const ALTERATIONS_PER_FILE = 160
const SIGNED_AT = new Date('2026-11-20T10:00:00Z')
const passportId = '01m45m2vp0fqh9ek41pvnj0nca'

const buildProof = (format: 1 | 2) => {
  const commitments = ['a', 'b', 'c', 'd', 'e'].map(text => createHash('sha256').update(text).digest())
  const entries = commitments.map((commitment, n) =>
    buildVersionEntry(format, { passportId, versionNo: n + 1, commitment }),
  )
  return buildVersionProof({
    format,
    passportId,
    address: `https://passports.example.org/p/${passportId}`,
    versionNo: 5,
    commitment: commitments[4] ?? Buffer.alloc(0),
    index: 4,
    size: 5,
    siblings: buildMerkleProof(entries, 4),
    root: computeMerkleRoot(entries),
    until: new Date('2026-11-21T00:00:00Z'),
    token: null,
  })
}

/** Each is a JSON object, and how it is written as a file. A JWT is altered in its payload. */
type Alterable = { content: Json; write: (content: Json) => string; options: string[] }

const asJson = (content: unknown): Alterable => ({
  content: content as Json,
  write: JSON.stringify,
  options: ['--did', DID],
})

function asJwt(text: string): Alterable {
  const [header = '', payload = '', rest = ''] = text.split('.')
  const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part) ?? '').toString('base64url')
  return {
    content: { header: decode(header), payload: decode(payload) },
    write: content => `${encode(content.header)}.${encode(content.payload)}.${rest}`,
    options: ['--did', DID],
  }
}

let folder: Awaited<ReturnType<typeof emptyFolder>>
const files = new Map<string, Alterable>()
before(async () => {
  folder = await emptyFolder()
  const list = { url: 'https://a.example/1', did: TEST_DID, bits: createStatusBits() }
  const period = { validFrom: SIGNED_AT, validUntil: new Date('2099-01-01T00:00:00Z') }
  const manifest = buildMirrorManifest([{ path: 'a.html', sha256: 'a'.repeat(64) }], SIGNED_AT)
  const { presentations } = readExample<{ presentations: { public: string } }>('sd-jwt-battery-item')
  for (const format of ENTRY_FORMATS)
    files.set(`proof of format ${format}`, { ...asJson(buildProof(format)), options: [] })
  const { proof: _, ...passport } = readExample<Json>('en18223-textile-item')
  files.set('passport', asJson(await addProof(passport, testSigner, SIGNED_AT, period.validUntil)))
  files.set('credential', asJson(readExample('untp-dpp-textile-item')))
  files.set('vc+jwt', asJwt(vectors.vcJwt.jwt))
  files.set('SD-JWT', asJwt(presentations.public))
  files.set(
    'status list',
    asJson(await addProof(buildStatusListCredential({ ...list, ...period }), testSigner, SIGNED_AT)),
  )
  const token = await signJws(buildTokenStatusList({ ...list, ...period }, 300), STATUS_LIST_JWT, testSigner)
  files.set('token status list', asJwt(token))
  files.set('manifest', asJson(await addProof(manifest, testSigner, SIGNED_AT, period.validUntil)))
})
after(() => folder.remove())

async function verify(text: string, options: readonly string[]) {
  const path = join(folder.path, 'file')
  await writeFile(path, text)
  let out = ''
  const io = { out: (text: string) => (out += text), err: () => undefined }
  const code = await runCommandLine(['verify', path, '--json', ...options], {}, io)
  const { not_proven: notProven, ...proven } = JSON.parse(out)
  return { code, proven: proven as Json, notProven: notProven as Json }
}

function listPaths(value: unknown, path: Path = []): Path[] {
  if (!isObject(value) && !Array.isArray(value)) return [path]
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((one, i) => [i, one])
    : Object.entries(value)
  return [
    ...(path.length === 0 ? [] : [path]),
    ...members.flatMap(([at, one]) => listPaths(one, [...path, at])),
  ]
}

const get = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, at) => (inner as Json)[at], value)

function retype(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? 1 : { value }
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return { value }
  return value === null ? 'null' : [value]
}

function change(value: unknown): unknown {
  if (typeof value === 'string')
    return Number.isNaN(Date.parse(value)) ? `${value}x` : '2020-01-01T00:00:00.000Z'
  if (typeof value === 'number') return value + 1
  return typeof value === 'boolean' ? !value : 7
}

const remove = (parent: unknown, at: string | number) => {
  if (Array.isArray(parent)) parent.splice(Number(at), 1)
  else delete (parent as Json)[at]
}

const KINDS = ['delete', 'retype', 'change', 'move', 'copy'] as const
/** Returns an altered copy. */
function alter(content: Json, path: Path, kind: (typeof KINDS)[number], to: Path): Json {
  const copy = structuredClone(content)
  const [parent, at] = [get(copy, path.slice(0, -1)), path.at(-1) ?? '']
  const value = structuredClone(get(copy, path))
  if (kind === 'delete') remove(parent, at)
  else if (kind === 'retype') (parent as Record<string | number, unknown>)[at] = retype(value)
  else if (kind === 'change') (parent as Record<string | number, unknown>)[at] = change(value)
  else {
    const isInside = path.every((step, n) => to[n] === step)
    const target = to.length === 0 || isInside ? copy : get(copy, to)
    if (kind === 'move') remove(parent, at)
    if (Array.isArray(target)) target.push(value)
    else if (isObject(target))
      (target as Json)[`${at}${target === parent || at in target ? '2' : ''}`] = value
  }
  return copy
}

test('a thousand alterations are refused, or stand under "not proven"', async () => {
  const random = createRandom(31)
  let made = 0
  for (const [name, { content, write, options }] of files) {
    const original = await verify(write(content), options)
    assert.equal(original.code, 0, `${name} is valid: ${JSON.stringify(original.proven)}`)
    const paths = listPaths(content)
    const containers = [[], ...paths.filter(path => isObject(get(content, path)))]
    // Each member in each way where they are few; else a sample.
    const all = paths.flatMap(path => KINDS.map(kind => ({ path, kind })))
    const some =
      all.length <= ALTERATIONS_PER_FILE
        ? all
        : Array.from({ length: ALTERATIONS_PER_FILE }, () => all[random(all.length)])
    for (const one of some) {
      if (one === undefined) continue
      const altered = alter(content, one.path, one.kind, containers[random(containers.length)] ?? [])
      if (write(altered) === write(content)) continue
      made++
      const found = await verify(write(altered), options)
      const what = `${name}: ${one.kind} ${one.path.join('.')}`
      if (found.code !== 0) {
        assert.deepEqual(
          [found.proven.ok, found.proven.passport, found.proven.version_no],
          [false, null, null],
          what,
        )
        continue
      }
      assert.deepEqual(found.proven, original.proven, what)
      assert.notDeepEqual(found.notProven, original.notProven, what)
    }
  }
  assert.ok(made >= 1_000, `${made}`)
})

test('a member that is there twice is refused', async () => {
  for (const [name, { content, write, options }] of files) {
    if (!write(content).startsWith('{')) continue
    for (const [member, value] of Object.entries(content)) {
      const text = write(content).replace('{', `{${JSON.stringify(member)}:${JSON.stringify(value)},`)
      assert.equal((await verify(text, options)).code, 1, `${name}: ${member}`)
    }
  }
})
