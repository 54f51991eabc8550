/**
 * Tests the dependencies: permissive licences, a hash for every package, and no install script except
 * reviewed ones.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

type Package = {
  version: string
  license?: string
  dev?: boolean
  integrity?: string
  resolved?: string
  hasInstallScript?: boolean
}

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const project = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'allowScripts',
  Record<string, unknown>
>
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> }
const decision = read('docs/decisions/0022-runtime-dependencies.md')

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const all = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, one]) => ({ name: nameOf(path), path, ...one }))
const carried = all.filter(one => !one.dev)

const ALLOWED = new Set(
  [
    'MIT',
    'MIT-0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'Apache-2.0',
    'Unlicense',
    'CC0-1.0',
    'PDDL-1.0',
    'OFL-1.1',
    '0BSD',
  ].concat(['BlueOak-1.0.0', 'Python-2.0', 'MIT OR Apache-2.0', '(MIT OR CC0-1.0)']),
)
/** A library that is loaded as it comes, and that its user may replace; see decision 0022. */
const LIBVIPS = /^@img\/sharp-(?:libvips-|wasm32|win32-)/
/** Licences reviewed by hand; see decision 0022. */
const READ_BY_HAND = new Set(['dejavu-fonts-ttf', 'png-js', 'humanize-number'])
/** Only for packages on developers' machines. */
const FOR_DEVELOPMENT = new Set(['MPL-2.0', '(MIT AND Zlib)'])

/** Some packages name their licence only in their own package.json. */
function licenceOf({ path, license }: { path: string; license?: string }): string {
  if (license !== undefined) return license
  const own = JSON.parse(read(join(path, 'package.json'))) as {
    license?: string
    licenses?: { type: string }[]
  }
  return own.license ?? own.licenses?.map(one => one.type).join(' AND ') ?? 'none'
}

test('every production package has a licence from the list', () => {
  const wrong = carried
    .filter(one => !READ_BY_HAND.has(one.name) && !LIBVIPS.test(one.name) && !ALLOWED.has(licenceOf(one)))
    .map(one => `${one.name}: ${licenceOf(one)}`)
  assert.deepEqual(wrong, [])
})

test('every development package has a licence from the list, or one that binds only its own files', () => {
  const wrong = all
    .filter(one => one.dev && !READ_BY_HAND.has(one.name))
    .filter(one => !ALLOWED.has(licenceOf(one)) && !FOR_DEVELOPMENT.has(licenceOf(one)))
    .map(one => `${one.name}: ${licenceOf(one)}`)
  assert.deepEqual(wrong, [])
})

test('every package comes from the registry with a hash', () => {
  const wrong = all.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(one => one.path)
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    all
      .filter(({ resolved }) => resolved !== undefined && !/^https:\/\/.+\.tgz$/.test(resolved))
      .map(one => one.path),
    [],
  )
})

test('only the packages of decision 0022 run a script at install', () => {
  const names = all.filter(one => one.hasInstallScript).map(one => one.name)
  assert.deepEqual(new Set(names), new Set(Object.keys(project.allowScripts)))
})

test('every direct dependency has a line in decision 0022, with its version', () => {
  const missing = Object.entries(project.dependencies).filter(
    ([name, version]) => !decision.includes(`| \`${name}\` | ${version} |`),
  )
  assert.deepEqual(missing, [])
})

test('decision 0022 has the correct number of production packages', () => {
  assert.match(decision, new RegExp(`these are ${carried.length} packages`))
})
