/** The checks after a fault: everything acknowledged exists once, with its events and its history. */
import { carnet, type Settings } from '../cli/processes.ts'
import { type Clients, eventsMissing } from './clients.ts'
import type { Stand } from './stand.ts'

export const say = (line: string) => console.log(line)

/** `aside`: expected complaints of doctor. */
export type Look = { aside?: readonly string[]; settings?: Settings; untilReady?: () => Promise<void> }

/** Stops the clients and checks. Returns the losses as sentences. */
export async function lookThrough(stand: Stand, look: Look = {}): Promise<string[]> {
  const { clients, receiver } = stand
  const { settings = stand.settings, aside = [] } = look
  await clients.stop()
  await (look.untilReady ?? stand.untilReady)()
  await clients.settle()
  say('  all is written; what was acknowledged is looked for')
  return [
    ...(await clients.losses()),
    ...(await eventsMissing(clients.writes, receiver.told)),
    ...(receiver.forged === 0 ? [] : [`${receiver.forged} webhooks were signed wrongly`]),
    ...clients.faulty,
    ...(await complaints(settings, aside)),
  ]
}

/** The complaints of `doctor --verify`. */
export async function complaints(settings: Settings, aside: readonly string[] = []): Promise<string[]> {
  const { stdout, stderr } = await carnet(['doctor', '--verify', '--json'], settings)
  const checks = JSON.parse(stdout || '[]') as { name: string; ok: boolean; detail: string }[]
  if (checks.length === 0) return [`doctor: ${stderr}`]
  return checks
    .filter(({ name, ok }) => !ok && !aside.includes(name))
    .map(({ name, detail }) => `doctor: ${name}: ${detail}`)
}

/** Prints the result of a fault. Returns the number of losses. */
export function tell(what: string, clients: Clients, found: readonly string[]): number {
  const { requests, unanswered, postponed, writes } = clients
  const outcome = found.length === 0 ? 'nothing lost' : `LOST ${found.length}`
  say(
    `${what}: ${requests} requests, ${unanswered} cut off, ${postponed} told to come back, ${writes.length} products; ${outcome}`,
  )
  for (const one of found.slice(0, 20)) say(`  ${one}`)
  return found.length
}
