/**
 * `import-pictures`: an import of models with a photograph each, fetched from a server on this machine,
 * compared with preparing photographs one after another; with processor time and memory.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPreparer } from '../src/media/prepare/preparer.ts'
import { buildRow, COLUMNS, signUp } from '../test/cli/import-client.ts'
import { carnetJson, emptyFolder, serve } from '../test/cli/processes.ts'
import { makePhotograph } from '../test/media/sample-files.ts'
import type { Bench } from './environment.ts'

const MODELS = 40
/** The others are copies of these, with other bytes at the end. */
const PHOTOGRAPHS = 10
const WIDTH = 2_400
const SAMPLE_EVERY_MS = 200
/** The unit of `/proc/{pid}/stat`. */
const TICKS_PER_SECOND = 100

export const importPicturesRows: Bench = async stage => {
  const photographs: Buffer[] = []
  for (let n = 0; n < PHOTOGRAPHS; n++)
    photographs.push(await makePhotograph({ width: WIDTH + 8 * n, height: 1_600 }))
  const getPhotograph = (n: number) =>
    Buffer.concat([photographs[n % PHOTOGRAPHS] ?? Buffer.alloc(0), Buffer.from(`photograph ${n}`)])
  const megabytes = photographs.map(({ length }) => length / 1e6)
  stage.log(`import-pictures: JPEGs of ${Math.min(...megabytes)} to ${Math.max(...megabytes)} MB`)
  const server = createServer((request, response) =>
    response.end(getPhotograph(Number(/\d+/.exec(String(request.url))?.[0]))),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { seconds, usage } = await importFrom(n => `http://127.0.0.1:${port}/${n}.jpg`)
  server.close()
  for (const [name, { cpu, memory }] of usage)
    stage.log(
      `import-pictures: ${name} used ${cpu.toFixed(1)} s of processor time, at most ${Math.round(memory)} MiB`,
    )
  const bare = await prepare(photographs)
  const ours = seconds / MODELS
  const unit = `s for each model with a photograph, of ${MODELS}, against preparing the photograph`
  return [{ row: 'import-pictures', ours, limit: bare, ratio: ours / bare, unit }]
}

async function importFrom(getAddress: (n: number) => string) {
  const folder = await emptyFolder()
  const env = { DATA_DIR: folder.path, PORT: '0', ALLOW_INSECURE_WEBHOOKS: '1' }
  const settings = { cwd: folder.path, env }
  const served = await serve(settings)
  try {
    const client = await signUp(() => served)
    await carnetJson(['accounts', 'set-plan', '1', '--plan', 'enterprise'], settings)
    const rows = Array.from({ length: MODELS }, (_, n) => [...buildRow(n, 500), getAddress(n)])
    const at = await client.check([...COLUMNS, 'pictures'], rows)
    const started = performance.now()
    const usage = await watchProcesses(served.child.pid ?? 0, async () => {
      await client.post(`${at}/run`, new URLSearchParams())
      await client.waitForProgress(at, done => done === Number.POSITIVE_INFINITY)
    })
    const seconds = (performance.now() - started) / 1_000
    const [created] = await client.readCounts(at)
    if (created !== MODELS) throw new Error(`${created} of ${MODELS} models were created`)
    return { seconds, usage }
  } finally {
    await served.stop()
    await folder.remove()
  }
}

type Usage = { cpu: number; memory: number }

/**
 * The use of the server during the work, and that of its processes that prepare files in all. A new one of
 * these may start at any time.
 */
async function watchProcesses(server: number, work: () => Promise<unknown>): Promise<Map<string, Usage>> {
  const found = new Map<number, Usage & { name: string }>()
  const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '')
  const look = async () => {
    const children = await read(`${server}/task/${server}/children`)
    for (const pid of [server, ...children.split(' ').filter(Boolean).map(Number)]) {
      const [command, stat, status] = [
        await read(`${pid}/cmdline`),
        await read(`${pid}/stat`),
        await read(`${pid}/status`),
      ]
      const isDecoder = command.includes('prepare-process')
      if (stat === '' || (pid !== server && !isDecoder)) continue
      const [, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ')
      const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
      const memory = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1_024
      found.set(pid, { name: isDecoder ? 'decoder' : 'server', cpu, memory })
    }
  }
  await look()
  const before = found.get(server)?.cpu ?? 0
  let isDone = false
  const ended = work().finally(() => {
    isDone = true
  })
  // It is awaited below, after the last look.
  ended.catch(() => undefined)
  while (!isDone) {
    await new Promise<void>(resolve => setTimeout(resolve, SAMPLE_EVERY_MS))
    await look()
  }
  await ended
  const sums = new Map<string, Usage>([['server', { cpu: -before, memory: 0 }]])
  for (const { name, cpu, memory } of found.values()) {
    const sum = sums.get(name) ?? { cpu: 0, memory: 0 }
    sums.set(name, { cpu: sum.cpu + cpu, memory: Math.max(sum.memory, memory) })
  }
  return sums
}

/** Seconds for each. */
async function prepare(photographs: readonly Buffer[]): Promise<number> {
  const preparer = createPreparer()
  const started = performance.now()
  for (const bytes of photographs) {
    const preparation = await preparer.prepare(bytes)
    if ('rejection' in preparation) throw new Error(preparation.rejection.message)
  }
  preparer.stop()
  return (performance.now() - started) / 1_000 / photographs.length
}
