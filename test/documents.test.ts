/** A path that a document names exists: papers that lie are worse than none. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import project from '../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = ['src', 'test', 'docs', 'migrations', 'locales', 'assets', 'bench', 'scripts', 'bin', '.ci']

const documents = [
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]

test('every path in a document exists', () => {
  const pattern = new RegExp(`\`((?:${FOLDERS.join('|').replaceAll('.', '\\.')})/[\\w./-]*)\``, 'g')
  const missing = documents.flatMap(name => {
    const text = readFileSync(join(ROOT, name), 'utf8')
    const paths = Array.from(text.matchAll(pattern), ([, path]) => path ?? '')
    const links = Array.from(text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g), ([, path]) =>
      join(dirname(name), path ?? ''),
    )
    return [...paths, ...links].filter(path => !existsSync(join(ROOT, path))).map(path => `${name}: ${path}`)
  })
  assert.deepEqual(missing, [])
})

test('what starts the server elsewhere starts Node as `npm start` does', () => {
  const flags = /--max-[a-z-]+=\d+/g
  const wanted = project.config.nodeFlags.split(' ')
  for (const name of ['Dockerfile', 'carnet.service']) {
    const text = readFileSync(join(ROOT, 'docs/deploy', name), 'utf8')
    assert.deepEqual(text.match(flags), wanted, name)
  }
})

test('line counts: ARCHITECTURE.md stays under 90 lines', () => {
  assert.ok(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n').length <= 90)
})
