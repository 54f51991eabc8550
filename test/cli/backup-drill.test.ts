/** Tests `backup drill`: its result for a good and a damaged backup, and that it leaves nothing behind. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { formatMachineMetrics } from '../../src/cli/server/server-metrics.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnet, carnetJson } from './processes.ts'

let data: Awaited<ReturnType<typeof folderWithStore>>
let env: Record<string, string>
let dir: string
before(async () => {
  data = await folderWithStore()
  dir = join(data.path, 'backups')
  env = { DATA_DIR: data.path, PORT: '0', BACKUP_DIR: dir }
  await carnetJson(['accounts', 'create', '--name', 'Heron', '--plan', 'pro'], { cwd: data.path, env })
  await mkdir(dir)
})
after(() => data.remove())

const settings = () => ({ cwd: data.path, env })
const MADE_AT = new Date(Math.floor(systemClock.now().getTime() / 1000 - 3 * 86_400) * 1000)
const NAME = `carnet-${MADE_AT.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.backup`
/** Folders of temporary databases. */
const leftovers = async () => (await readdir(data.path)).filter(name => name.startsWith('drill-'))
type Drill = {
  ok: boolean
  passports: number
  tables: number
  sealed: boolean
  age_seconds: number
  checks: { ok: boolean }[]
}

test('restores the newest backup, checks it and leaves no files behind', async () => {
  const none = await carnet(['backup', 'drill'], settings())
  assert.deepEqual([none.code, none.stderr], [1, `There is no backup in ${dir} (BACKUP_DIR).\n`])
  await carnetJson(['backup', '--to', join(dir, NAME)], settings())
  const made = await carnetJson<Drill>(['backup', 'drill'], settings())
  assert.deepEqual([made.ok, made.sealed, made.checks.map(({ ok }) => ok)], [true, true, [true, true]])
  assert.ok(made.tables > 20 && made.age_seconds >= 0 && made.age_seconds < 3_600)
  assert.deepEqual(await leftovers(), [])
})

test('a damaged backup gives exit code 1 with the reason, and leaves no files behind', async () => {
  const bytes = await readFile(join(dir, NAME))
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  const damaged = join(data.path, 'damaged')
  await writeFile(damaged, bytes)
  const { code, stdout, stderr } = await carnet(['backup', 'drill', '--from', damaged, '--json'], settings())
  assert.equal(code, 1)
  assert.match(stderr, /is damaged: its checksum does not match/)
  assert.equal(JSON.parse(stdout).ok, false)
  assert.deepEqual(await leftovers(), [])
})

test('doctor and metrics show the age of the newest backup', async () => {
  const size = (await readFile(join(dir, NAME))).length
  const text = await formatMachineMetrics({
    backups: { dir, everyMs: 86_400_000, keep: 7 },
    dataDir: data.path,
    databaseUrl: undefined,
  })
  const madeAt = MADE_AT.getTime() / 1000
  assert.match(text, new RegExp(`^carnet_backup_last_success_timestamp_seconds ${madeAt}$`, 'm'))
  assert.match(text, new RegExp(`^carnet_backup_last_size_bytes ${size}$`, 'm'))
  assert.match(text, /^carnet_backup_interval_seconds 86400$/m)
  assert.match(text, /^carnet_data_dir_free_bytes [1-9]\d+$/m)
  const told = await carnet(['doctor'], settings())
  assert.match(told.stdout, /BAD +backups .*hours old, older than twice BACKUP_EVERY/)
  const off = await carnet(['doctor'], { cwd: data.path, env: { ...env, BACKUP_DIR: '' } })
  assert.match(off.stdout, /ok +backups +warning: there are no automatic backups/)
})
