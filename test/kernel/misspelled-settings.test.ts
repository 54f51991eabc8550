/** Tests that misspelled settings in the environment are reported, and no other variables. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/kernel/config/config.ts'
import { findMisspelledSettings, SETTING_NAMES } from '../../src/kernel/config/misspelled-settings.ts'
import { problemsOf } from './problems-of.ts'

describe('findMisspelledSettings', () => {
  for (const [name, meant] of [
    ['PUBLC_URL', 'PUBLIC_URL'],
    ['WORKER', 'WORKERS'],
    ['DATABSAE_URL', 'DATABASE_URL'],
    ['TRUSTED_PROXY', undefined],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['metrics_token', 'METRICS_TOKEN'],
    ['SECRET-KEY', 'SECRET_KEY'],
    ['CARNET_PORT', 'PORT'],
    ['SLOW_QUERIES_MS', undefined],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ] as const) {
    test(`${name} ${meant === undefined ? 'is not reported' : `is reported as ${meant}`}`, () => {
      const found = findMisspelledSettings({ [name]: 'a value' })
      assert.equal(found.length, meant === undefined ? 0 : 1)
      if (meant !== undefined) assert.match(found[0] ?? '', new RegExp(`${name} .* ${meant}\\?$`))
      assert.doesNotMatch(found.join(), /a value/)
    })
  }

  test('does not report our settings and common environment variables', () => {
    const ours = Object.fromEntries(SETTING_NAMES.map(name => [name, 'x']))
    const usual =
      'PATH HOME HOSTNAME USER SHELL TERM LANG PWD POSTGRES_USER PGHOST DATABASE_HOST LOGNAME MAIL'
    const theirs = Object.fromEntries(usual.split(' ').map(name => [name, 'x']))
    assert.deepEqual(findMisspelledSettings({ ...ours, ...theirs }), [])
  })

  test('the list contains every setting that is read', () => {
    const text = readFileSync(join(import.meta.dirname, '../../src/kernel/config/config.ts'), 'utf8')
    const read = Array.from(text.matchAll(/read\.\w+\('([A-Z_]+)'/g), ([, name]) => name ?? '')
    assert.ok(read.length > 15)
    assert.deepEqual(
      read.filter(name => !SETTING_NAMES.some(setting => setting === name)),
      [],
    )
  })
})

describe('readConfig', () => {
  test('reads WORKERS, METRICS_TOKEN and SLOW_QUERY_MS', () => {
    const { workers, metricsToken, slowQueryMs } = readConfig({})
    assert.deepEqual([workers, metricsToken, slowQueryMs], [1, undefined, 1_000])
    const env = { WORKERS: '4', METRICS_TOKEN: '0123456789abcdef', SLOW_QUERY_MS: '0' }
    const set = readConfig(env)
    assert.deepEqual([set.workers, set.metricsToken, set.slowQueryMs], [4, '0123456789abcdef', 0])
  })

  test('reports invalid values by name, and does not repeat a token', () => {
    const problems = problemsOf({ WORKERS: '0', METRICS_TOKEN: 'too short', SLOW_QUERY_MS: 'soon' })
    assert.deepEqual(
      problems.map(problem => problem.split(' ')[0]),
      ['WORKERS', 'METRICS_TOKEN', 'SLOW_QUERY_MS'],
    )
    assert.doesNotMatch(problems.join(), /too short/)
  })
})
