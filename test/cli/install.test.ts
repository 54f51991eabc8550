/** The first npm scripts of a fresh clone, several at once: the packages are installed by one of them. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { emptyFolder } from './processes.ts'

/** Installs as npm does, as slowly: what was there is taken away first. Each run is told of by a line. */
const NPM = `
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
appendFileSync('installs', 'begun\\n')
rmSync('node_modules', { recursive: true, force: true })
await new Promise(resolve => setTimeout(resolve, 500))
mkdirSync('node_modules/node/bin', { recursive: true })
symlinkSync(process.execPath, 'node_modules/node/bin/node')
appendFileSync('installs', 'ended\\n')
`

describe('installing what is missing', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>
  let clone: string
  beforeEach(async () => {
    folder = await emptyFolder()
    clone = folder.path
    await mkdir(join(clone, 'scripts'))
    await cp(join(import.meta.dirname, '../../scripts/launch.mjs'), join(clone, 'scripts/launch.mjs'))
    await writeFile(join(clone, 'package.json'), '{"config":{"nodeFlags":"--no-warnings"}}')
    await writeFile(join(clone, 'package-lock.json'), '{}')
    await writeFile(join(clone, 'npm.mjs'), NPM)
    await writeFile(join(clone, 'hello.mjs'), 'console.log("hello")')
  })
  afterEach(() => folder.remove())

  const start = async () => {
    const env = { ...process.env, npm_execpath: join(clone, 'npm.mjs') }
    const args = ['scripts/launch.mjs', 'hello.mjs']
    return (await promisify(execFile)(process.execPath, args, { cwd: clone, env, timeout: 20_000 })).stdout
  }
  const installs = () => readFile(join(clone, 'installs'), 'utf8')

  test('three at once: one installs, the others wait for it, and all start', async () => {
    assert.deepEqual(await Promise.all([start(), start(), start()]), ['hello\n', 'hello\n', 'hello\n'])
    assert.equal(await installs(), 'begun\nended\n')
    assert.equal(await start(), 'hello\n')
    assert.equal(await installs(), 'begun\nended\n', 'once installed, that is all')
    assert.equal((await readdir(clone)).includes('.carnet-installing'), false)
  })

  test('one that was killed while it installed holds up nobody', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    await writeFile(join(clone, '.carnet-installing'), String(pid))
    assert.equal(await start(), 'hello\n')
    assert.equal(await installs(), 'begun\nended\n')
  })
})
