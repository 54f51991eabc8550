/**
 * `backup`: writing a million passports to a file while 64 connections read other products, and the same
 * reads without the backup.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { idFromUuid } from '../src/kernel/crypto/ids.ts'
import type { Bench } from './environment.ts'
import { type BenchDatabase, median } from './environment.ts'
import { load } from './load.ts'
import { ask, issue, models } from './units.ts'

const ROUNDS = 3
const MANY = 990_000
const READERS = 64
const SECONDS = 3
const SLICE_SECONDS = 0.5

export const backupRows: Bench = async stage => {
  const hall = await stage.openDatabase('backup')
  const tenant = await stage.createTenant(hall)
  const [first = '', ...others] = await models(hall, tenant, 10_001)
  await issue(hall, tenant, { under: first, level: 'item', count: MANY })
  const server = await stage.startServer(hall, 'ours.ts')
  const requests = others.map(id => ask(tenant, 'GET', idFromUuid(id)))
  const read = async (seconds: number) => {
    const next = (n: number) => requests[(n * 7919) % requests.length] ?? ''
    const tally = await load({ port: server.port, connections: READERS, seconds, next })
    if (tally.failed > 0) throw new Error(`${tally.failed} reads failed`)
    return tally.perSecond
  }
  const folder = await mkdtemp(join(tmpdir(), 'carnet-bench-backup-'))
  const figures = { alone: [] as number[], during: [] as number[], rows: [] as number[] }
  await read(SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    figures.alone.push(await read(SECONDS))
    let isDone = false
    const made = writeBackup(hall, join(folder, `${round}`)).finally(() => {
      isDone = true
    })
    const slices: number[] = []
    while (!isDone) slices.push(await read(SLICE_SECONDS))
    const { passports, seconds, bytes } = await made
    figures.rows.push(passports / seconds)
    figures.during.push(slices.reduce((sum, n) => sum + n, 0) / slices.length)
    figures.alone.push(await read(SECONDS))
    stage.log(`backup, round ${round + 1}: ${bytes} bytes in ${seconds} s`)
  }
  await server.stop()
  await rm(folder, { recursive: true })
  const [alone, during] = [median(figures.alone), median(figures.during)]
  return [
    {
      row: 'backup, reads meanwhile',
      ours: during,
      limit: alone,
      ratio: during / alone,
      unit: `requests/s against without; ${Math.round(median(figures.rows))} passports/s written`,
    },
  ]
}

type Made = { passports: number; seconds: number; bytes: number }

/** Runs in its own process, so that the load client loses no CPU time to it. */
export async function writeBackup(hall: BenchDatabase, path: string): Promise<Made> {
  const words = [join(import.meta.dirname, 'backup-writer.ts'), JSON.stringify({ target: hall.target, path })]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout) as Made
}
