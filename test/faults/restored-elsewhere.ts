/**
 * A backup made while clients write, restored on another machine: an empty folder with the same key, on
 * another port.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { carnet, carnetJson, emptyFolder, type Settings, serve } from '../cli/processes.ts'
import { type Clients, eventsMissing, type Write } from './clients.ts'
import { complaints, lookThrough, say, tell } from './look-through.ts'
import { freePort, openStand, type Stand } from './stand.ts'

const LOAD_MS = 2_000
/** Webhooks are paused for this long before the backup, so that it contains pending events. */
const HELD_MS = 1_000

type Copied = { owed: Write[]; toldBefore: ReadonlySet<string>; file: string }

/** Returns the number of losses. */
export async function restoredElsewhere(): Promise<number> {
  const [here, there] = [await emptyFolder(), await emptyFolder()]
  const stand = await openStand(here.path)
  stand.clients.start()
  await pause(LOAD_MS)
  const copied = await backUp(stand, join(here.path, 'faults.backup'))
  await pause(LOAD_MS)
  const found = await lookThrough(stand)
  let lost = tell('a backup while clients write', stand.clients, found)
  await stand.server().stop('SIGTERM')

  cpSync(join(here.path, 'secret-key'), join(there.path, 'secret-key'))
  const settings: Settings = {
    cwd: there.path,
    env: { ...stand.settings.env, DATA_DIR: there.path, PORT: String(await freePort()) },
  }
  const refused = await aBitTurnedOver(copied.file, settings)
  const restored = await carnetJson<{ passports: number }>(['restore', '--from', copied.file], settings)
  say(`  restored: ${restored.passports} passports, ${copied.owed.length} of them owed`)
  lost += tell('restored elsewhere', stand.clients, [...refused, ...(await lookAt(settings, stand, copied))])
  stand.receiver.close()
  await Promise.all([here.remove(), there.remove()])
  return lost
}

/**
 * Backs up while clients write and webhooks are paused. Records what was acknowledged before, and which
 * events had arrived.
 */
async function backUp({ clients, receiver, settings, webhook }: Stand, file: string): Promise<Copied> {
  await carnetJson(['webhooks', 'pause', webhook], settings)
  await pause(HELD_MS)
  const owed = clients.acknowledged()
  await carnetJson(['backup', '--to', file], settings)
  const toldBefore = new Set(receiver.told)
  const waiting = owed.filter(({ id }) => !toldBefore.has(id ?? '')).length
  say(`  backed up: ${owed.length} products were acknowledged, ${waiting} webhooks wait`)
  await carnetJson(['webhooks', 'resume', webhook], settings)
  return { owed, toldBefore, file }
}

/** A damaged file is rejected and leaves the store empty. */
async function aBitTurnedOver(file: string, settings: Settings): Promise<string[]> {
  const bytes = readFileSync(file)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  const damaged = `${file}.damaged`
  writeFileSync(damaged, bytes)
  const { code, stderr } = await carnet(['restore', '--from', damaged], settings)
  const accounts = await carnetJson<unknown[]>(['accounts', 'list'], settings)
  return [
    ...(code === 1 ? [] : [`a backup with one bit turned over was not refused: ${code} ${stderr}`]),
    ...(accounts.length === 0 ? [] : ['a backup with one bit turned over left something behind']),
  ]
}

/** Starts the restored server and checks it with the API key from before the backup. */
async function lookAt(settings: Settings, stand: Stand, { owed, toldBefore }: Copied): Promise<string[]> {
  const { clients, receiver, webhook } = stand
  const server = await serve(settings)
  clients.url = () => server.url
  const isOwed = new Set(owed.map(({ key }) => key))
  const later = clients.writes.filter(({ key }) => !isOwed.has(key))
  // The restored server also sends the events that were pending at the time of the backup, but need not
  // repeat the others.
  receiver.told.clear()
  await carnetJson(['webhooks', 'resume', webhook], settings)
  const waited = owed.filter(({ id }) => !toldBefore.has(id ?? ''))
  const found = [
    ...(await clients.losses(owed)),
    ...(await clients.doubles(later)),
    ...(await pagesMissing(clients, owed)),
    ...(await eventsMissing(waited, receiver.told)),
    ...(receiver.forged === 0 ? [] : [`${receiver.forged} webhooks were signed wrongly`]),
    ...(await complaints(settings)),
  ]
  say(`  the copy told of ${receiver.told.size} products, ${waited.length} of them had to be told`)
  found.push(...(await goOn(clients)))
  await server.stop('SIGTERM')
  return found
}

/** New writes on the restored server are stored too. */
async function goOn(clients: Clients): Promise<string[]> {
  const before = clients.writes.length
  clients.start()
  await pause(LOAD_MS)
  await clients.stop()
  const fresh = clients.writes.slice(before)
  return fresh.some(({ id }) => id !== undefined) ? clients.losses(fresh) : ['the copy takes nothing new']
}

async function pagesMissing(clients: Clients, owed: readonly Write[]): Promise<string[]> {
  const found: string[] = []
  for (const write of owed) {
    if (!(await clients.hasPage(write))) found.push(`the page of ${write.id} is not there`)
  }
  return found
}
