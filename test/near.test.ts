/** Tests which test files repeat more: those with a change near them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { findNear, listChanged, NEAR } from './near.ts'

const ROOT = join(import.meta.dirname, '..')
const namesOf = (changed: readonly string[] | undefined) =>
  findNear(changed).map(file => relative(import.meta.dirname, file).replace('.test.ts', ''))

describe('findNear', () => {
  test('names a test file with a change in its folders, and the test itself', () => {
    assert.deepEqual(namesOf(['src/webhooks/claim.ts', 'README.md']), ['webhooks/crash'])
    assert.deepEqual(namesOf(['src/transfer/backup/backup.ts']), ['cli/import-crash'])
    assert.deepEqual(namesOf(['test/cli/crash.test.ts']), ['cli/crash'])
    assert.deepEqual(namesOf(['src/site/page/page.ts']), ['faults/worst-calls', 'site/random'])
    assert.deepEqual(namesOf(['docs/api.md', 'src/scans/recorder.ts']), [])
  })

  test('names all crash tests after a change below everything, and all files if the changes are not known', () => {
    const all = Object.keys(NEAR)
    const crashes = all.filter(name => /crash|idempotency/.test(name))
    for (const file of ['src/kernel/db/migrate.ts', 'src/cli/commands.ts', 'migrations/0001.sql']) {
      const names = namesOf([file])
      assert.deepEqual(
        names.filter(name => crashes.includes(name)),
        crashes,
        file,
      )
    }
    assert.deepEqual(namesOf(undefined), all)
  })

  test('knows only files and folders that are there', () => {
    for (const [name, places] of Object.entries(NEAR))
      for (const place of [`test/${name}.test.ts`, ...places])
        assert.ok(existsSync(join(ROOT, place)), `${name}: ${place}`)
  })
})

describe('listChanged', () => {
  test('finds commits since main, edits and new files; on main those of the last commit', t => {
    const folder = mkdtempSync(join(tmpdir(), 'carnet-near-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    assert.equal(listChanged(folder), undefined)
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' })
    const commit = (file: string) => {
      writeFileSync(join(folder, file), file)
      git('add', '.')
      git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '-m', file)
    }
    git('init', '--initial-branch', 'main')
    mkdirSync(join(folder, 'src'))
    commit('a')
    assert.equal(listChanged(folder), undefined)
    commit('src/b')
    assert.deepEqual(listChanged(folder), ['src/b'])
    git('switch', '--create', 'work')
    commit('c')
    commit('d')
    writeFileSync(join(folder, 'a'), 'edited')
    writeFileSync(join(folder, 'new'), '')
    assert.deepEqual(listChanged(folder)?.sort(), ['a', 'c', 'd', 'new'])
  })
})
