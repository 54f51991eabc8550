import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { ConfigError, readConfig } from '../../src/kernel/config/config.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { openMediaServices } from '../../src/media/upkeep/media-services.ts'
import { openBackup } from '../../src/transfer/backup/open-backup.ts'
import { createBackupWhenDue } from '../../src/transfer/backup/scheduled-backups.ts'
import { createFetchSlots } from '../../src/worker/media-fetcher.ts'
import { startScheduledTasks } from '../../src/worker/scheduled-tasks.ts'
import { cloneDatabase, endPools, getTestShard, openPools, type TestDatabase } from '../database.ts'
import { ADDRESSES, TestClock } from '../harness.ts'
import { BACKUP_KEY, type Folder, NO_FILES, poolOfOne, temporaryFolder } from './stores.ts'

let database: TestDatabase
let folder: Folder
before(async () => {
  database = await cloneDatabase()
  folder = await temporaryFolder()
})
after(async () => {
  await database.drop()
  await folder.remove()
})

const HOUR_MS = 3_600_000

describe('scheduled backups', () => {
  test('one of several processes makes one when it is due, and the oldest are deleted', async () => {
    const clock = new TestClock()
    clock.set('2026-11-01T00:00:00Z')
    const dir = folder.file('backups')
    const wish = {
      openPool: poolOfOne(database),
      clock,
      key: BACKUP_KEY,
      version: 'test',
      mediaStore: NO_FILES,
      dir,
      everyMs: 24 * HOUR_MS,
      keep: 3,
    }
    const look = async () => {
      const made = await Promise.all(Array.from({ length: 4 }, () => createBackupWhenDue(wish)))
      return made.filter(one => one !== undefined).length
    }
    assert.equal(await look(), 1)
    assert.equal(await look(), 0)
    const left = 'carnet-20261101T120000Z.backup'
    await writeFile(join(dir, `${left}.partial`), 'by version 0.1, cut off')
    await writeFile(join(dir, `${left}.0123456789abcdef.partial`), 'cut off')
    // Folders and symlinks with such names are not ours, and must not block a backup.
    await mkdir(join(dir, `${left}.aaaaaaaaaaaaaaaa.partial`))
    await symlink(folder.file('elsewhere'), join(dir, `${left}.bbbbbbbbbbbbbbbb.partial`))
    await writeFile(folder.file('backups/notes.txt'), 'of somebody else')
    clock.advance(23 * HOUR_MS)
    assert.equal(await look(), 0)
    for (let day = 0; day < 4; day++) {
      clock.advance(24 * HOUR_MS)
      assert.equal(await look(), 1)
    }
    const names = (await readdir(dir)).sort()
    assert.deepEqual(names, [
      `${left}.aaaaaaaaaaaaaaaa.partial`,
      `${left}.bbbbbbbbbbbbbbbb.partial`,
      'carnet-20261103T230000Z.backup',
      'carnet-20261104T230000Z.backup',
      'carnet-20261105T230000Z.backup',
      'notes.txt',
    ])
    const path = folder.file(`backups/${names[4]}`)
    const { header } = await openBackup({ path, keys: [BACKUP_KEY], acceptUnsealed: false })
    assert.equal(header.created_at, '2026-11-05T23:00:00.000Z')
  })

  test('after the clock was set back: one at each interval, and keeps those it makes', async () => {
    const clock = new TestClock()
    const dir = folder.file('set-back')
    const setup = {
      openPool: poolOfOne(database),
      clock,
      key: BACKUP_KEY,
      version: 'test',
      mediaStore: NO_FILES,
      dir,
      everyMs: 24 * HOUR_MS,
      keep: 2,
    }
    const names = async () => (await readdir(dir)).map(name => name.slice(7, 18)).sort()
    for (const [time, made] of [
      ['2026-12-01T00:00:00Z', true],
      ['2026-12-02T00:00:00Z', true],
      // Less than an interval before the newest, then more.
      ['2026-12-01T01:00:00Z', false],
      ['2026-11-05T00:00:00Z', true],
      ['2026-11-05T23:59:59Z', false],
      ['2026-11-06T00:00:00Z', true],
    ] as const) {
      clock.set(time)
      assert.equal((await createBackupWhenDue(setup)) !== undefined, made, time)
    }
    assert.deepEqual(await names(), ['20261106T00', '20261202T00'])
  })

  test('logs a backup it cannot delete, still makes the new one and deletes the others', async () => {
    const clock = new TestClock()
    clock.set('2026-11-05T00:00:00Z')
    const dir = folder.file('stuck')
    await mkdir(join(dir, 'carnet-20261101T000000Z.backup'), { recursive: true })
    for (const day of [2, 3]) await writeFile(join(dir, `carnet-2026110${day}T000000Z.backup`), '')
    const setup = {
      openPool: poolOfOne(database),
      clock,
      key: BACKUP_KEY,
      version: 'test',
      mediaStore: NO_FILES,
    }
    const said: { level: number; msg: string; notDeleted?: string[] }[] = []
    const log = pino({ level: 'info' }, { write: line => said.push(JSON.parse(line)) })
    const sql = await openPools(database)
    const backups = { ...setup, dir, everyMs: 24 * HOUR_MS, keep: 1 }
    const chores = startScheduledTasks({
      sql: getTestShard(sql),
      deliverySql: getTestShard(sql),
      clock,
      log,
      registry: {
        clock,
        secretCipher: createSecretCipher('a secret key that only tests know, long enough'),
        addresses: ADDRESSES,
        nsUrl: `${ADDRESSES.publicUrl}/ns/dpp`,
      },
      media: {
        ...openMediaServices({ folder: folder.file('media') }),
        outbound: openOutbound({ allowInsecureLoopback: false, allowed: createAddressList([]) }),
        slots: createFetchSlots(),
      },
      backups,
    })
    while (!said.some(({ level, msg }) => msg === 'backup made' || level >= 50)) await pause(20)
    await chores.stop()
    await endPools(sql)
    assert.deepEqual((await readdir(dir)).sort(), [
      'carnet-20261101T000000Z.backup',
      'carnet-20261105T000000Z.backup',
    ])
    assert.deepEqual(
      said.map(({ msg }) => msg),
      ['backup made', 'the backup was made, but older ones could not be deleted'],
    )
    assert.match(said[1]?.notDeleted?.join() ?? '', /^carnet-20261101T000000Z\.backup: /)
  })

  test('settings: off without a folder, daily and seven by default; invalid values are rejected by name', () => {
    assert.equal(readConfig({}).backups, undefined)
    assert.deepEqual(readConfig({ BACKUP_DIR: '/b' }).backups, { dir: '/b', everyMs: 24 * HOUR_MS, keep: 7 })
    const some = { BACKUP_DIR: '/b', BACKUP_EVERY: '90m', BACKUP_KEEP: '30' }
    assert.deepEqual(readConfig(some).backups, { dir: '/b', everyMs: 1.5 * HOUR_MS, keep: 30 })
    assert.throws(
      () => readConfig({ BACKUP_DIR: '/b', BACKUP_EVERY: 'often', BACKUP_KEEP: '0' }),
      (error: unknown) => error instanceof ConfigError && error.problems.length === 2,
    )
  })
})
