/** A small file system in memory, which a test can fill. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'

/** Not in the folder of a run, which nobody can delete while something is mounted there. The process id follows. */
const PREFIX = '/tmp/carnet-small-disk-'
const IN_NAMESPACE = 'CARNET_TEST_NAMESPACE'
/** The same user, who may mount file systems there. */
const UNSHARE = ['--user', '--mount', '--map-current-user', '--keep-caps', '--']

/** Mounts an empty file system of `size` bytes, such as `220m`. Undefined if this user may not. */
export function mountSmallDisk(size: string): string | undefined {
  unmountLeftovers()
  const path = mkdtempSync(`${PREFIX}${process.pid}-`)
  chmodSync(path, 0o755)
  try {
    const options = `size=${size},mode=0755`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'carnet-test', path], { stdio: 'ignore' })
    return path
  } catch {
    rmdirSync(path)
    return undefined
  }
}

export function unmountSmallDisk(path: string): void {
  execFileSync('umount', ['-l', path])
  rmdirSync(path)
}

/** A run that was killed leaves its file system. */
function unmountLeftovers(): void {
  if (!existsSync('/proc/mounts')) return
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, path = ''] = line.split(' ')
    if (!path.startsWith(PREFIX) || existsSync(`/proc/${Number.parseInt(path.slice(PREFIX.length), 10)}`))
      continue
    unmountSmallDisk(path)
  }
}

/** Writes to the file until its disk has no block left. */
export function fillDisk(file: string): void {
  for (let size = 64 * 1024 * 1024; size >= 4_096; size /= 2) {
    const block = Buffer.alloc(size, 1)
    while (append(file, block));
  }
}

function append(file: string, block: Buffer): boolean {
  try {
    writeFileSync(file, block, { flag: 'a' })
    return true
  } catch {
    return false
  }
}

/**
 * Defines a test that runs the file once more in a namespace where a user who is not root may mount a file
 * system. It is skipped where the system allows no such namespace. As root PostgreSQL would need another user,
 * whom the namespace lacks.
 */
export function testInNamespace(file: string): void {
  test('tests on a small disk', context => {
    const mayMount =
      process.getuid?.() !== 0 &&
      process.env[IN_NAMESPACE] === undefined &&
      spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'carnet-test', '/mnt']).status === 0
    if (!mayMount) return context.skip('this user may not mount a file system, nor in a namespace of its own')
    // The runner's own protocol would hide what the tests say.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const words = [...process.execArgv.filter(word => !word.startsWith('--test')), file]
    const { status, stdout, stderr } = spawnSync('unshare', [...UNSHARE, process.execPath, ...words], {
      env: { ...env, [IN_NAMESPACE]: '1' },
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  })
}
