/** Tests that every path and heading named in the documentation exists. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import project from '../package.json' with { type: 'json' }
import { findBinaries } from '../src/kernel/postgres-server/binaries.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = [
  'src',
  'test',
  'docs',
  'migrations',
  'categories',
  'locales',
  'assets',
  'rules',
  'bench',
  'scripts',
  'bin',
  '.ci',
]

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

/** A document's own anchors, and those of its headings as GitHub makes them: repeated ones get a number. */
function listAnchors(text: string): Set<string> {
  const anchors = new Set(Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id))
  for (const [, title = ''] of text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    let next = anchor
    for (let n = 1; anchors.has(next); n++) next = `${anchor}-${n}`
    anchors.add(next)
  }
  return anchors
}

test('every link to a heading finds it', () => {
  let links = 0
  const missing = documents.flatMap(name => {
    const text = readFileSync(join(ROOT, name), 'utf8')
    return Array.from(text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)).flatMap(
      ([, path = '', anchor = '']) => {
        const target = path === '' ? name : join(dirname(name), path)
        if (!target.endsWith('.md')) return []
        links++
        const isThere = listAnchors(readFileSync(join(ROOT, target), 'utf8')).has(anchor)
        return isThere ? [] : [`${name}: ${target}#${anchor}`]
      },
    )
  })
  assert.deepEqual(missing, [])
  assert.ok(links > 20, `${links} links`)
})

test('a page that begins with a list of its sections names all of them', () => {
  const incomplete = documents.flatMap(name => {
    const text = readFileSync(join(ROOT, name), 'utf8').replace(/^```.*?^```/gms, '')
    const [start = '', ...sections] = text.split(/^## /m)
    const contents = start.split('\n- [').slice(1).join(' ')
    if (!/^[^\]]+\]\(#/.test(contents)) return []
    const missing = sections
      .map(section => section.split('\n')[0] ?? '')
      .filter(title => !contents.replaceAll('\n ', '').includes(`${title}](#`))
    return missing.map(title => `${name}: ${title}`)
  })
  assert.deepEqual(incomplete, [])
})

test('each decision has a unique number', () => {
  const numbers = listDecisions().map(name => name.slice(0, 4))
  assert.deepEqual(
    numbers.filter((number, at) => numbers.indexOf(number) !== at),
    [],
  )
})

test('the documented ways to start the server start Node as `npm start` does', () => {
  const flags = /--(?:max|v8)-[a-z-]+=\d+/g
  const wanted = project.config.nodeFlags.split(' ')
  for (const name of ['Dockerfile', 'carnet.service']) {
    const text = readFileSync(join(ROOT, 'docs/deploy', name), 'utf8')
    assert.deepEqual(text.match(flags), wanted, name)
  }
})

/** Libraries of debian:bookworm-slim, not ours. */
const IN_THE_BASE = /^(?:linux-vdso|ld-linux[\w-]*|lib(?:c|dl|gcc_s|m|pthread|rt|stdc\+\+))\.so/
const PACKAGES = new Map([['libatomic.so.1', 'libatomic1']])

test('both stages of the image have each library that Node and PostgreSQL are linked against', {
  skip: process.platform !== 'linux' && 'ldd is of Linux',
}, () => {
  const stages = readFileSync(join(ROOT, 'docs/deploy/Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .slice(1)
  assert.equal(stages.length, 2)
  const linked = [process.execPath, join(findBinaries(undefined), 'postgres')].flatMap(program =>
    execFileSync('ldd', [program], { encoding: 'utf8' }).trim().split('\n'),
  )
  assert.ok(linked.length > 10)
  const missing = linked
    .filter(line => !line.includes('/node_modules/'))
    .map(line => basename(line.trim().split(' ')[0] ?? ''))
    .filter(
      name => !IN_THE_BASE.test(name) && !stages.every(stage => stage.includes(` ${PACKAGES.get(name)} `)),
    )
  assert.deepEqual(missing, [])
})

/** The newest release in the changelog: its version and sections. */
function readRelease(): { version: string | undefined; sections: string[] } {
  const [, release = ''] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  return {
    version: /^\d+\.\d+\.\d+$/m.exec(release.split('\n')[0] ?? '')?.[0],
    sections: Array.from(release.matchAll(/^### (.+)$/gm), ([, title = '']) => title),
  }
}

test('the version, the changelog and the page of upgrades speak of the same release', () => {
  const { version, sections } = readRelease()
  assert.equal(version, project.version)
  const [major, minor] = project.version.split('.')
  const upgrading = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8')
  const [, newest = ''] = upgrading.split(/^## From /m)
  assert.ok(newest.split('\n')[0]?.endsWith(`to ${major}.${minor}`), newest.slice(0, 40))
  const rows = Array.from(newest.matchAll(/^\| ([^|]+) \|/gm), ([, title = '']) => title.trim())
  assert.ok(sections.length > 10)
  assert.deepEqual(
    sections.filter(title => !rows.includes(title)),
    [],
    'each section of the changelog has a row that says what it asks of an operator and an integrator',
  )
})

test('ARCHITECTURE.md stays under 90 lines', () => {
  assert.ok(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n').length <= 90)
})

test('the index of decisions has each once, with its title', () => {
  const index = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8')
  const listed = Array.from(
    index.matchAll(/^- \[\d{4}\]\(([^)]+)\) (.+)$/gm),
    ([, file, title]) => `${file} ${title}`,
  )
  const titles = listDecisions().map(file => {
    const [first = ''] = readFileSync(join(ROOT, 'docs/decisions', file), 'utf8').split('\n', 1)
    return `${file} ${first.replace(/^# \d{4}[.:] /, '')}`
  })
  assert.deepEqual(listed.toSorted(), titles.toSorted())
})

function listDecisions(): string[] {
  return readdirSync(join(ROOT, 'docs/decisions')).filter(name => name !== 'README.md')
}
