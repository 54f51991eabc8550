/**
 * Tests an upgrade in place: the next version replaces the old source tree, and SIGHUP replaces the processes
 * one by one.
 */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventsMissing } from '../faults/clients.ts'
import { type Stand, standOn } from '../faults/stand.ts'
import { IS_FULL } from '../full.ts'
import { waitUntil } from '../waiting.ts'
import { emptyFolder, endAll } from './processes.ts'
import { copyTree, type Tree } from './tree.ts'

/** In a full run, longer than the start timeout of a process without a migration. */
const MIGRATES_S = IS_FULL ? 125 : 1

let folder: Awaited<ReturnType<typeof emptyFolder>>
let tree: Tree
let stand: Stand

before(async () => {
  folder = await emptyFolder()
  tree = copyTree(join(folder.path, 'tree'))
  stand = await standOn(folder.path, { DATA_DIR: folder.path, WORKERS: '2' }, tree.main)
  stand.clients.start()
})
after(async () => {
  await stand?.clients.stop()
  await endAll()
  stand?.receiver.close()
  await folder.remove()
})

async function untilSaid(message: string): Promise<void> {
  const { said } = stand.server()
  await waitUntil(`it says "${message}"`, () => said.stderr.includes(message), { explain: () => said.stderr })
}

const version = async () => {
  const answer = await fetch(`${stand.server().url}/api/v1/health`)
  return ((await answer.json()) as { data: { version: string } }).data.version
}

test('a migration that fails stops the upgrade, and the old processes continue', async () => {
  const before = await version()
  const broken = join(folder.path, 'tree/migrations/9999_broken.sql')
  writeFileSync(broken, 'alter table passport add column broken nonsense;')
  stand.server().child.kill('SIGHUP')
  await untilSaid('the new process did not start: the old ones stay')
  rmSync(broken)
  assert.equal(await version(), before)
})

test('the first new process migrates, the others follow, and no client notices', async () => {
  const { clients, receiver } = stand
  const next = tree.upgrade(MIGRATES_S)
  stand.server().child.kill('SIGHUP')
  await untilSaid('all processes are replaced')
  await clients.stop()
  await clients.settle()
  assert.equal(await version(), next.version)
  const { stderr } = stand.server().said
  assert.equal(stderr.split(next.migration).length, 2, 'one process has migrated')
  // Requests that wait too long for the migration's locks get 503 or are abandoned by the client.
  if (!IS_FULL) assert.deepEqual([clients.postponed, clients.unanswered], [0, 0])
  assert.deepEqual(clients.faulty, [])
  assert.ok(clients.writes.length > 20, `${clients.writes.length} products`)
  assert.deepEqual(await clients.losses(), [])
  assert.deepEqual(await eventsMissing(clients.writes, receiver.told), [])
})
