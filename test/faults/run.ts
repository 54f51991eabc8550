/** `npm run faults [-- --cycles N]`: breaks a running installation in one way after the other, and says what was lost. Loopback only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findFreePort } from '../../src/cli/ports.ts'
import { postmasterPid } from '../cli/postmaster.ts'
import { carnet, emptyFolder, endAll } from '../cli/processes.ts'
import { openStand, type Stand } from './stand.ts'

/** Below the ports that outgoing connections take: a client that tries again would else meet itself there. */
const FIRST_PORT = 23_100
const BETWEEN_MS = 600
const DISK = '220m'
const HANGS_MS = 3_000
/** As far as a machine without NTP is off after some weeks. */
const JUMP_MS = 90_000

const { values } = parseArgs({ options: { cycles: { type: 'string', default: '20' } } })
const cycles = Number(values.cycles)
const say = (line: string) => console.log(line)
let lost = 0

/** Processes by parent, from /proc: only what the stand's own processes have started is ever signalled. */
function childrenOf(pid: number): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1])
        if (parent !== pid) return []
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'latin1') }]
      } catch {
        return []
      }
    })
}

const supervisorOf = (stand: Stand) => stand.server().child.pid ?? 0
const nodesOf = (stand: Stand) =>
  childrenOf(supervisorOf(stand)).filter(({ command }) => command.includes('main.ts'))

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended by itself.
  }
}

type Fault = { name: string; strike: (stand: Stand, folder: string, turn: number) => Promise<void> }

const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of one process',
    strike: async (stand, _folder, turn) => {
      const nodes = nodesOf(stand)
      kill(nodes[turn % Math.max(1, nodes.length)]?.pid, 'SIGKILL')
    },
  },
  {
    name: 'connections lost in the middle of transactions',
    strike: async (_stand, folder) => {
      const backends = childrenOf(await postmasterPid(folder)).filter(({ command }) =>
        / carnet .*carnet/.test(command),
      )
      for (const { pid } of backends) kill(pid, 'SIGTERM')
    },
  },
  {
    name: 'kill -9 of the database',
    strike: async (_stand, folder) => kill(await postmasterPid(folder), 'SIGKILL'),
  },
  {
    name: 'database stopped',
    strike: async (_stand, folder) => kill(await postmasterPid(folder), 'SIGINT'),
  },
  {
    name: 'kill -9 of the supervisor',
    strike: async stand => {
      const { ended } = stand.server()
      kill(supervisorOf(stand), 'SIGKILL')
      await ended
      await stand.restart()
    },
  },
  { name: 'rolling restart', strike: async stand => kill(supervisorOf(stand), 'SIGHUP') },
  {
    name: 'a disk that hangs: the whole database stands still for three seconds',
    strike: async (_stand, folder) => {
      const postmaster = await postmasterPid(folder)
      const all = [postmaster, ...childrenOf(postmaster).map(({ pid }) => pid)]
      for (const pid of all) kill(pid, 'SIGSTOP')
      await pause(HANGS_MS)
      for (const pid of all) kill(pid, 'SIGCONT')
    },
  },
  {
    name: 'the clock of the processes jumps, forward and back in turns',
    strike: async (stand, _folder, turn) =>
      stand.moveClock(Math.floor(turn / FAULTS.length) % 2 === 0 ? JUMP_MS : -JUMP_MS),
  },
]

async function killCycles(): Promise<void> {
  const folder = await emptyFolder()
  const stand = await openStand(folder.path, (await findFreePort('127.0.0.1', FIRST_PORT)) ?? FIRST_PORT)
  stand.clients.start()
  for (let turn = 0; turn < cycles; turn++) {
    const fault = FAULTS[turn % FAULTS.length]
    await pause(BETWEEN_MS)
    const began = performance.now()
    await fault?.strike(stand, folder.path, turn)
    await pause(BETWEEN_MS)
    await stand.untilReady()
    say(`  ${turn + 1} of ${cycles}: ${fault?.name}; ready after ${Math.round(performance.now() - began)} ms`)
  }
  await pause(BETWEEN_MS)
  await report(`${cycles} faults under load`, stand)
  await stand.close()
  await folder.remove()
}

/** `aside`: what doctor is right to complain about. */
async function report(what: string, stand: Stand, aside: readonly string[] = []): Promise<void> {
  const { clients } = stand
  stand.moveClock(0)
  await clients.stop()
  await stand.untilReady()
  await clients.settle()
  say('  all is written; what was acknowledged is looked for')
  const losses = await clients.losses()
  const missing = await clients.eventsMissing()
  const { stdout, stderr } = await carnet(['doctor', '--verify', '--json'], stand.settings)
  const checks = JSON.parse(stdout || '[]') as { name: string; ok: boolean; detail: string }[]
  const bad = checks.filter(({ name, ok }) => !ok && !aside.includes(name))
  const found = [
    ...losses,
    ...missing.map(id => `the event of ${id} never came`),
    ...(checks.length === 0 ? [`doctor: ${stderr}`] : bad.map(one => `doctor: ${one.name}: ${one.detail}`)),
  ]
  lost += found.length
  const { requests, unanswered, writes } = clients
  say(
    `${what}: ${requests} requests, ${unanswered} cut off, ${writes.length} products; ${found.length === 0 ? 'nothing lost' : `LOST ${found.length}`}`,
  )
  for (const one of found.slice(0, 20)) say(`  ${one}`)
}

/** A file system of its own that is filled up while clients write, and emptied again. */
async function fullDisk(): Promise<void> {
  const folder = await emptyFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'carnet-faults', folder.path], {
      stdio: 'ignore',
    })
  } catch {
    say('full disk: left out, because this user may not mount a file system to fill')
    return folder.remove()
  }
  try {
    const stand = await openStand(folder.path, (await findFreePort('127.0.0.1', FIRST_PORT)) ?? FIRST_PORT)
    stand.clients.start()
    await pause(2_000)
    const filler = join(folder.path, 'filler')
    fill(filler)
    await pause(6_000)
    await rm(filler)
    await stand.untilReady()
    await pause(2_000)
    // The whole disk is smaller than what doctor wants free.
    await report('full disk', stand, ['data directory'])
    await stand.close()
  } finally {
    execFileSync('umount', ['-l', folder.path])
    await folder.remove()
  }
}

function fill(path: string): void {
  for (let size = 64 * 1024 * 1024; size >= 4_096; size /= 2) {
    for (;;) {
      try {
        writeFileSync(path, Buffer.alloc(size, 1), { flag: 'a' })
      } catch {
        break
      }
    }
  }
}

try {
  await killCycles()
  await fullDisk()
} finally {
  await endAll()
}
say(lost === 0 ? 'faults: nothing was lost' : `faults: ${lost} losses`)
process.exitCode = lost === 0 ? 0 : 1
