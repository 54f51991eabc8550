/**
 * One connection at a time to the server, with one request at a time, sent whole or as a failing client would
 * send it.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { type Heard, Listener } from './wire.ts'

export type Delivery = 'whole' | 'pieces' | 'abort midway' | 'abort at once' | 'half-close' | 'slow' | 'never'

/**
 * `closed`: no connection, or the server ended it without a response; `detail` says how. `gone`: the client
 * did not wait for one.
 */
export type Outcome =
  | { answer: Heard }
  | { answer: undefined; why: 'closed' | 'gone' | 'no answer'; detail?: string }

const ANSWER_TIMEOUT_MS = 20_000
/** For requests whose end the server cannot know: it waits ten seconds for the rest. */
const SHORT_ANSWER_TIMEOUT_MS = 150
const MOST_ON_ONE_CONNECTION = 300

export const DELIVERIES: readonly (readonly [number, Delivery])[] = [
  [900, 'whole'],
  [50, 'pieces'],
  [15, 'abort midway'],
  [15, 'abort at once'],
  [5, 'half-close'],
]

export const SLOW_DELIVERIES: readonly (readonly [number, Delivery])[] = [
  [9, 'slow'],
  [1, 'never'],
]

/** `over`: how the server ended the connection. `last`: the previous request and its result. */
type Open = {
  socket: Socket
  listener: Listener
  used: number
  over: string | undefined
  last: string
  wake: () => void
}

export class Lane {
  private open: Open | undefined
  private readonly port: number

  constructor(port: number) {
    this.port = port
  }

  async exchange(
    { bytes, method, isSound }: { bytes: Buffer; method: string; isSound: boolean },
    delivery: Delivery,
    chance: Chance,
  ): Promise<Outcome> {
    const open = await this.connection(chance)
    open.used++
    const sentAt = performance.now()
    await deliver(open.socket, bytes, delivery, chance)
    if (delivery.startsWith('abort')) {
      this.close()
      return { answer: undefined, why: 'gone' }
    }
    const waitsLong = isSound || delivery === 'slow' || delivery === 'never'
    const outcome = (await hear(open, method, waitsLong ? ANSWER_TIMEOUT_MS : SHORT_ANSWER_TIMEOUT_MS)) ?? {
      answer: undefined,
      why: waitsLong ? 'no answer' : 'gone',
    }
    if (outcome.answer === undefined) outcome.detail = tellEnd(open, performance.now() - sentAt)
    open.last = `${method}, ${delivery}, answered ${outcome.answer?.status}`
    // After an unfinished request the server would take the next request for the rest of the first.
    const isWhole = isSound && delivery !== 'never' && delivery !== 'half-close'
    const isLast =
      !isWhole || outcome.answer === undefined || outcome.answer.headers.get('connection') === 'close'
    if (isLast || open.over !== undefined || open.used >= MOST_ON_ONE_CONNECTION) this.close()
    return outcome
  }

  close(): void {
    this.open?.socket.destroy()
    this.open = undefined
  }

  private async connection(chance: Chance): Promise<Open> {
    if (this.open !== undefined && this.open.over === undefined) return this.open
    this.close()
    this.open = await openConnection(this.port, chance)
    return this.open
  }
}

const tellEnd = ({ used, over, last }: Open, ms: number) =>
  `${over ?? 'open'} ${ms.toFixed(0)} ms after the first byte of request ${used} of the connection; before it: ${last}`

/** On Linux all of 127/8 is this machine, which gives many client addresses. */
const addressOf = (chance: Chance) =>
  process.platform === 'linux'
    ? { localAddress: `127.${chance.below(250)}.${chance.below(250)}.${2 + chance.below(250)}` }
    : {}

function openConnection(port: number, chance: Chance): Promise<Open> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      allowHalfOpen: true,
      ...addressOf(chance),
    })
    const open: Open = {
      socket,
      listener: new Listener(),
      used: 0,
      over: undefined,
      last: 'none',
      wake: () => {},
    }
    const over = (how: string) => {
      open.over ??= how
      open.wake()
    }
    socket.once('connect', () => resolve(open))
    socket.once('error', reject)
    // Data that the server sent before it cut the connection is still read.
    socket.on('error', error => over(error.message))
    socket.on('end', () => over('end')).on('close', () => over('close'))
    socket.on('data', (chunk: Buffer) => {
      open.listener.hear(chunk)
      open.wake()
    })
  })
}

async function deliver(socket: Socket, bytes: Buffer, delivery: Delivery, chance: Chance): Promise<void> {
  if (delivery === 'whole' || delivery === 'abort at once') {
    socket.write(bytes)
    if (delivery === 'abort at once' && chance.is(0.5)) await pause(chance.below(5))
    return
  }
  if (delivery === 'abort midway' || delivery === 'never') {
    socket.write(bytes.subarray(0, Math.max(1, chance.below(bytes.length))))
    if (delivery === 'abort midway') await pause(chance.below(3))
    return
  }
  if (delivery === 'half-close') {
    socket.end(bytes)
    return
  }
  const count = delivery === 'slow' ? 5 + chance.below(10) : 2 + chance.below(4)
  const size = Math.ceil(bytes.length / count)
  for (let at = 0; at < bytes.length; at += size) {
    if (socket.writable) socket.write(bytes.subarray(at, at + size))
    await pause(delivery === 'slow' ? 50 + chance.below(250) : 0)
  }
}

async function hear(open: Open, method: string, patience: number): Promise<Outcome | undefined> {
  const until = performance.now() + patience
  for (;;) {
    const answer = open.listener.next(method)
    if (answer !== undefined) return { answer }
    if (open.over !== undefined) return { answer: undefined, why: 'closed' }
    const left = until - performance.now()
    if (left <= 0) return undefined
    await woken(open, left)
  }
}

function woken(open: Open, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    open.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
