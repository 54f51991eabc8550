/** Carnet as several processes on one port, as its supervisor runs them. Prints the port when all listen. */
import cluster from 'node:cluster'
import { join } from 'node:path'

const { processes } = JSON.parse(process.argv[2] ?? '{}') as { processes: number }
cluster.setupPrimary({
  exec: join(import.meta.dirname, 'ours.ts'),
  args: process.argv.slice(2),
  silent: true,
})
let up = 0
for (let i = 0; i < processes; i++) {
  const worker = cluster.fork()
  worker.process.stderr?.pipe(process.stderr)
  worker.process.stdout?.once('data', chunk => {
    up++
    if (up === processes) console.log(Number(String(chunk)))
  })
}
