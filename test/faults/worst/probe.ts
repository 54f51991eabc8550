/**
 * Preloaded in a server: knows the routes it registers, and measures its event loop. Answers one line of JSON to
 * each line sent to the socket `PROBE_SOCKET`.
 */
import { subscribe } from 'node:diagnostics_channel'
import { openSync, readSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** `blockedMs`: the longest time without a turn, without the time in which the processor served others. */
export type LoopFigures = { blockedMs: number; turnCpuMs: number; cpuMs: number }
export type ProbedRoute = { method: string; url: string }
export type ProbeCommand = 'begin' | 'end' | 'routes' | 'collect' | 'unit'

const TICK_MS = 2
const routes: ProbedRoute[] = []
const socket = process.env.PROBE_SOCKET

if (isMainThread && socket !== undefined) {
  subscribe('fastify.initialization', message => {
    const { fastify } = message as { fastify: { addHook: (name: 'onRoute', hook: OnRoute) => void } }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one, url })
    })
  })
  answerCommands(socket)
}

type OnRoute = (route: { method: string | string[]; url: string }) => void

function answerCommands(path: string): void {
  const loop = watchLoop()
  const answers: Record<ProbeCommand, () => unknown> = {
    begin: loop.begin,
    end: loop.end,
    routes: () => routes,
    collect: collectGarbage,
    unit: measureUnit,
  }
  const server = createServer(connection => {
    connection.on('error', () => {})
    createInterface(connection).on('line', line => {
      connection.write(`${JSON.stringify(answers[line as ProbeCommand]() ?? null)}\n`)
    })
  })
  server.on('error', () => {})
  server.listen(path).unref()
}

function watchLoop() {
  const readThread = openThreadTimes()
  let last = { at: performance.now(), ...readThread() }
  let beganCpu = 0
  let longest = { blockedMs: 0, turnCpuMs: 0 }
  const tick = () => {
    const now = { at: performance.now(), ...readThread() }
    const blockedMs = now.at - last.at - (now.waitedMs - last.waitedMs) - TICK_MS
    longest = {
      blockedMs: Math.max(longest.blockedMs, blockedMs),
      turnCpuMs: Math.max(longest.turnCpuMs, now.cpuMs - last.cpuMs),
    }
    last = now
  }
  setInterval(tick, TICK_MS).unref()
  return {
    begin() {
      last = { at: performance.now(), ...readThread() }
      beganCpu = last.cpuMs
      longest = { blockedMs: 0, turnCpuMs: 0 }
    },
    end(): LoopFigures {
      tick()
      return { ...longest, cpuMs: last.cpuMs - beganCpu }
    },
  }
}

type ThreadTimes = { cpuMs: number; waitedMs: number }

/** Linux says for the main thread how long it ran, and how long it waited for a processor. */
function openThreadTimes(): () => ThreadTimes {
  const buffer = Buffer.alloc(128)
  const file = openSync('/proc/self/schedstat', 'r')
  return () => {
    const [ran, waited] = buffer.toString('latin1', 0, readSync(file, buffer, 0, 128, 0)).split(' ')
    return { cpuMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 }
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

const UNIT_TEXT = JSON.stringify(
  Array.from({ length: 5_000 }, (_, n) => ({ n, name: `row ${n}`, list: [n] })),
)

/** The processor time of work like the server's own, in milliseconds: what a bound of a slow machine is worth. */
function measureUnit(): number {
  const readThread = openThreadTimes()
  const times = Array.from({ length: 7 }, () => {
    const before = readThread().cpuMs
    for (let turn = 0; turn < 5; turn++) JSON.stringify(JSON.parse(UNIT_TEXT))
    return readThread().cpuMs - before
  })
  return Math.min(...times)
}
