/** Tests the first npm scripts of a fresh clone, several at once: one of them installs the packages. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { emptyFolder } from './processes.ts'

/** A slow stand-in for npm that first deletes what is installed, like npm. Each run writes a line. */
const NPM = `
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
appendFileSync('installs', 'begun\\n')
appendFileSync('arguments', process.argv.slice(2).join(' ') + '\\n')
rmSync('node_modules', { recursive: true, force: true })
await new Promise(resolve => setTimeout(resolve, 500))
mkdirSync('node_modules/node/bin', { recursive: true })
symlinkSync(process.execPath, 'node_modules/node/bin/node')
cpSync('package-lock.json', 'node_modules/.package-lock.json')
appendFileSync('installs', 'ended\\n')
`

const RUNTIME = ['node_modules/a', { integrity: 'sha512-a' }] as const
const TOOL = ['node_modules/b', { integrity: 'sha512-b', dev: true }] as const
const ELSEWHERE = ['node_modules/c', { integrity: 'sha512-c', optional: true }] as const
type Package = readonly [string, { integrity: string }]

describe('installing missing packages', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>
  let clone: string
  beforeEach(async () => {
    folder = await emptyFolder()
    clone = folder.path
    await mkdir(join(clone, 'scripts'))
    await cp(join(import.meta.dirname, '../../scripts/launch.mjs'), join(clone, 'scripts/launch.mjs'))
    await writeFile(join(clone, 'package.json'), '{"config":{"nodeFlags":"--no-warnings"}}')
    await lock('package-lock.json', [RUNTIME, TOOL, ELSEWHERE])
    await writeFile(join(clone, 'npm.mjs'), NPM)
    await writeFile(join(clone, 'hello.mjs'), 'console.log("hello")')
  })
  afterEach(() => folder.remove())

  const lock = (name: string, packages: readonly Package[]) =>
    writeFile(join(clone, name), JSON.stringify({ packages: Object.fromEntries(packages) }))
  const start = async (script = 'hello.mjs', settings: NodeJS.ProcessEnv = {}) => {
    const env = { ...process.env, npm_execpath: join(clone, 'npm.mjs'), ...settings }
    const args = ['scripts/launch.mjs', script]
    return (await promisify(execFile)(process.execPath, args, { cwd: clone, env, timeout: 20_000 })).stdout
  }
  const installs = () => readFile(join(clone, 'installs'), 'utf8')

  test('three concurrent starts: one installs, the others wait, and all start', async () => {
    assert.deepEqual(await Promise.all([start(), start(), start()]), ['hello\n', 'hello\n', 'hello\n'])
    assert.equal(await installs(), 'begun\nended\n')
    assert.equal(await start(), 'hello\n')
    assert.equal(await installs(), 'begun\nended\n', 'once installed, that is all')
    assert.equal((await readdir(clone)).includes('.carnet-installing'), false)
  })

  test('a start that was killed while installing blocks nobody', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    await writeFile(join(clone, '.carnet-installing'), String(pid))
    assert.equal(await start(), 'hello\n')
    assert.equal(await installs(), 'begun\nended\n')
  })

  test('a home that cannot be written: npm gets another cache, which is deleted afterwards', async () => {
    const HOME = join(clone, 'package.json')
    assert.equal(await start('hello.mjs', { HOME, npm_config_cache: '' }), 'hello\n')
    const given = await readFile(join(clone, 'arguments'), 'utf8')
    const [, cache] = / --cache (\S+)/.exec(given) ?? []
    assert.ok(cache !== undefined, given)
    assert.equal(existsSync(cache), false)
    await rm(join(clone, 'node_modules'), { recursive: true })
    await start('hello.mjs', { HOME: clone, npm_config_cache: '' })
    assert.doesNotMatch((await readFile(join(clone, 'arguments'), 'utf8')).slice(given.length), /--cache/)
  })

  test('a Node that lacks a library: shows its own error, and what to install', async () => {
    await start()
    const node = join(clone, 'node_modules/node/bin/node')
    await rm(node)
    await writeFile(node, '#!/bin/sh\necho "libatomic.so.1: cannot open shared object file" >&2\nexit 127\n')
    await chmod(node, 0o755)
    await assert.rejects(start(), ({ code, stderr }) => {
      assert.equal(code, 127)
      assert.match(
        stderr,
        /^libatomic\.so\.1: .*\nNode could not be loaded\. .*apt-get install libatomic1\n$/,
      )
      return true
    })
    assert.equal(await start(), 'hello\n', 'what its lack had left out is installed')
    assert.equal(await installs(), 'begun\nended\nbegun\nended\n')
  })

  test('does not repeat what npm ci installed, as long as it matches the lockfile', async () => {
    await start()
    const again = async (packages: readonly Package[], script?: string) => {
      await writeFile(join(clone, 'installs'), '')
      await lock('node_modules/.package-lock.json', packages)
      await start(script)
      return (await installs()) !== ''
    }
    assert.equal(await again([RUNTIME, TOOL]), false)
    await mkdir(join(clone, 'src'))
    await writeFile(join(clone, 'src/main.mjs'), '')
    assert.equal(await again([RUNTIME], 'src/main.mjs'), false, 'without the tools of development')
    assert.equal(await again([RUNTIME]), true, 'they are needed here')
    assert.equal(await again([TOOL], 'src/main.mjs'), true)
    assert.equal(await again([[RUNTIME[0], { integrity: 'sha512-older' }], TOOL]), true)
  })
})
