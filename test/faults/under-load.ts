/** One fault after another under load: processes, connections, the database, slow disks and the clock. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { postmasterPid } from '../cli/postmaster.ts'
import { emptyFolder } from '../cli/processes.ts'
import { childrenOf } from '../descendants.ts'
import { lookThrough, say, tell } from './look-through.ts'
import { openStand, type Stand } from './stand.ts'

const BETWEEN_MS = 600
const HANGS_MS = 3_000
/** An hour of summer time, a mistyped year, and the drift of a machine without NTP after some weeks. */
const JUMPS_MS = [3_600_000, 365 * 86_400_000, 90_000, -90_000]

/** Empty if the process has ended. */
function commandLineOf({ pid }: { pid: number }): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

const supervisorOf = (stand: Stand) => stand.server().child.pid ?? 0
const nodesOf = (stand: Stand) =>
  childrenOf(supervisorOf(stand)).filter(child => commandLineOf(child).includes('main.ts'))

/** Throws if there is no process to signal: a fault that hits nothing would prove nothing. */
function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) throw new Error(`There is no process for ${signal}.`)
  try {
    process.kill(pid, signal)
  } catch {
    // The process has just ended.
  }
}

type Fault = { name: string; strike: (stand: Stand, folder: string, turn: number) => Promise<void> }

/** Sessions, keys and links expire if a clock stays ahead for longer. */
const MAX_LASTING_JUMP_MS = 90_000

/** PostgreSQL's process title of a connection to the database `carnet`, with any role. */
const SERVER_CONNECTION = /^postgres: \S+ carnet /

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
      const backends = childrenOf(await postmasterPid(folder)).filter(child =>
        SERVER_CONNECTION.test(commandLineOf(child)),
      )
      if (backends.length === 0) throw new Error('The server has no connection that could be lost.')
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
    name: 'the clock of the processes jumps, and far jumps are set back at once',
    strike: async (stand, _folder, turn) => {
      const jump = JUMPS_MS[Math.floor(turn / FAULTS.length) % JUMPS_MS.length] ?? 0
      stand.moveClock(jump)
      if (Math.abs(jump) <= MAX_LASTING_JUMP_MS) return
      await pause(BETWEEN_MS)
      stand.moveClock(0)
    },
  },
]

/** Causes this many faults. Returns the number of losses. */
export async function faultsUnderLoad(cycles: number): Promise<number> {
  const folder = await emptyFolder()
  const stand = await openStand(folder.path)
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
  stand.moveClock(0)
  const found = await lookThrough(stand)
  const lost = tell(`${cycles} faults under load`, stand.clients, found)
  await stand.close()
  await folder.remove()
  return lost
}
