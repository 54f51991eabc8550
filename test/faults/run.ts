/**
 * `npm run faults [-- --cycles N] [--requests N] [--seconds N] [--only NAME]`: breaks running installations in one way
 * after another and prints what was lost. Loopback only. On Citus, with `CARNET_CITUS`: `--only citus
 * [--part NAME,…] [--shards N] [--items N]`. `doors [--route PART]`: the attacks with this part of a name. `worst-calls
 * [--route PART] [--minutes N] [--file PATH]`: these routes; the next run with the file goes on; `--seconds 0`: no attack.
 */
import { parseArgs } from 'node:util'
import { endAll } from '../cli/processes.ts'
import { endDescendants } from '../descendants.ts'
import { writesBeside } from './beside.ts'
import { attackDoors } from './doors.ts'
import { fullDisk } from './full-disk.ts'
import { say } from './look-through.ts'
import { onCitus, PARTS } from './on-citus.ts'
import { restoredElsewhere } from './restored-elsewhere.ts'
import { twoVersions } from './two-versions.ts'
import { underAttack } from './under-attack.ts'
import { faultsUnderLoad } from './under-load.ts'
import { worstCalls } from './worst-calls.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cycles: { type: 'string', default: '20' },
    requests: { type: 'string', default: '100000' },
    seconds: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    file: { type: 'string' },
    only: { type: 'string' },
    route: { type: 'string' },
    part: { type: 'string', default: Object.keys(PARTS).join() },
    shards: { type: 'string', default: '8' },
    items: { type: 'string', default: '0' },
  },
})

const getSeconds = (byDefault: number) => Number(values.seconds ?? byDefault)

const ALL: Record<string, () => Promise<number>> = {
  load: () => faultsUnderLoad(Number(values.cycles)),
  disk: fullDisk,
  restore: restoredElsewhere,
  versions: twoVersions,
  locks: () => writesBeside(getSeconds(60)),
  citus: () =>
    onCitus({
      cycles: Number(values.cycles),
      parts: values.part.split(','),
      shards: Number(values.shards),
      items: Number(values.items),
    }),
  doors: () => attackDoors(getSeconds(60), values.route),
  attack: () => underAttack(Number(values.requests)),
  'worst-calls': () =>
    worstCalls({
      only: values.route,
      file: values.file,
      minutes: Number(values.minutes),
      seconds: getSeconds(20),
    }),
}

const chosen = values.only === undefined ? positionals : [values.only]
const names = chosen.length === 0 ? Object.keys(ALL) : chosen
let lost = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
try {
  for (const name of names) {
    const fault = ALL[name]
    if (fault === undefined) throw new Error(`--only is one of ${Object.keys(ALL).join(', ')}`)
    lost += await fault()
  }
} finally {
  await endAll()
}
say(lost === 0 ? 'faults: nothing was lost' : `faults: ${lost} losses`)
process.exitCode = lost === 0 ? 0 : 1

/**
 * First a clean stop, because databases that outlive a killed server have no other parent; then processes
 * that were just starting.
 */
function stop(): void {
  endAll().finally(() => {
    endDescendants(process.pid)
    process.exit(130)
  })
}
