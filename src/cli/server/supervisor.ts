/** The processes of one machine: started, started again when they die, replaced one by one, asked for their numbers, ended. */
import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import type { Environment, ProcessRole } from '../../kernel/config/config.ts'
import type { Log } from '../../kernel/log.ts'
import { Refusal } from '../command-line/command.ts'
import type { MemberWord, SupervisorWord } from './parent-process.ts'

/** A place that one process fills. */
export type Post = { name: string; role: Exclude<ProcessRole, 'all'> }

type Member = {
  post: Post
  worker: Worker
  bornAt: number
  isUp: boolean
  isLeaving: boolean
  up: Promise<void>
  gone: Promise<void>
}

export type CrewSetup = {
  log: Log
  posts: readonly Post[]
  /** Settings that the supervisor has decided, over those of the environment. */
  settings: Environment
  numbers: NumbersOfAll
}

/** What keeps the numbers of processes; see `src/cli/server/aggregate-metrics.ts`. */
export type NumbersOfAll = {
  note: (process: number, numbers: unknown) => void
  retire: (process: number) => void
  text: () => Promise<string>
}

const MAIN = join(import.meta.dirname, '../../main.ts')
/** Pauses before a process that died is started again: doubled up to the longest, the shortest again after a quiet time. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
const QUIET_MS = 10_000
const UP_WITHIN_MS = 30_000
/** Requests take eight seconds at most; see `LEAVE_WITHIN_MS` in `src/cli/server/run-server.ts`. */
const GONE_WITHIN_MS = 15_000
const NUMBERS_WITHIN_MS = 1_500

export class Crew {
  private readonly setup: CrewSetup
  private readonly members = new Map<Post, Member>()
  private readonly pauses = new Map<Post, number>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly answers = new Map<number, () => void>()
  private isStopping = false
  private rolling: Promise<void> | undefined
  private isToRollAgain = false
  private nextId = 0

  constructor(setup: CrewSetup) {
    this.setup = setup
    cluster.setupPrimary({ exec: MAIN, args: ['serve'], execArgv: process.execArgv })
  }

  /** Resolves when all are up. Throws a Refusal with what one of them said. */
  async start(): Promise<void> {
    const all = this.setup.posts.map(post => this.hire(post))
    for (const member of all) this.members.set(member.post, member)
    await Promise.all(all.map(member => member.up))
    for (const member of all) this.standBy(member)
  }

  /** Replaces one after the other: the next is up before the one before it goes. Asked for meanwhile, it is done once more. */
  roll(): Promise<void> {
    if (this.rolling !== undefined) this.isToRollAgain = true
    this.rolling ??= this.rollAll().finally(() => {
      this.rolling = undefined
    })
    return this.rolling
  }

  async stop(): Promise<void> {
    this.isStopping = true
    for (const timer of this.timers) clearTimeout(timer)
    const all = [...this.members.values()]
    for (const { worker } of all) worker.process.kill('SIGTERM')
    await Promise.all(all.map(member => member.gone))
  }

  /** The process ids by post, for whoever watches. */
  pids(): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.members.values(), ({ post, worker }) => [post.name, worker.process.pid ?? 0]),
    )
  }

  private async rollAll(): Promise<void> {
    const { log } = this.setup
    do {
      this.isToRollAgain = false
      log.info({ processes: this.pids() }, 'the processes are replaced one by one')
      for (const post of this.setup.posts) {
        if (this.isStopping) return
        if (!(await this.replace(post))) return
      }
      log.info({ processes: this.pids() }, 'all processes are replaced')
    } while (this.isToRollAgain && !this.isStopping)
  }

  private async replace(post: Post): Promise<boolean> {
    const before = this.members.get(post)
    const next = this.hire(post)
    try {
      await next.up
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.setup.log.error({ process: post.name, reason }, 'its successor did not start: the old ones go on')
      next.worker.process.kill('SIGKILL')
      return false
    }
    this.members.set(post, next)
    this.standBy(next)
    if (this.isStopping) next.worker.process.kill('SIGTERM')
    if (before !== undefined) await this.dismiss(before)
    return true
  }

  private async dismiss(member: Member): Promise<void> {
    member.isLeaving = true
    this.say(member, { carnet: 'leave' })
    const timer = setTimeout(() => member.worker.process.kill('SIGKILL'), GONE_WITHIN_MS)
    await member.gone
    clearTimeout(timer)
  }

  private hire(post: Post): Member {
    const worker = cluster.fork({ ...this.setup.settings, ROLE: post.role, PROCESS_NAME: post.name })
    const up = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    up.promise.catch(() => undefined)
    const member: Member = {
      post,
      worker,
      bornAt: performance.now(),
      isUp: false,
      isLeaving: false,
      up: up.promise,
      gone: gone.promise,
    }
    const timer = setTimeout(() => up.reject(new Error('it was not up in time')), UP_WITHIN_MS)
    worker.on('error', error => this.setup.log.warn({ reason: error.message }, 'a process could not be told'))
    worker.on('message', (word: MemberWord) => {
      if (word.carnet === 'refused') up.reject(new Refusal(word.sentence))
      else if (word.carnet === 'migrating') clearTimeout(timer)
      else if (word.carnet !== 'up') this.hear(member, word)
      else {
        member.isUp = true
        clearTimeout(timer)
        up.resolve()
      }
    })
    worker.once('exit', (code, signal) => {
      clearTimeout(timer)
      up.reject(new Refusal(`The process ${post.name} ended with ${signal ?? code} before it was up.`))
      this.setup.numbers.retire(worker.id)
      gone.resolve()
    })
    return member
  }

  /** From now on its end is unforeseen unless we asked for it. */
  private standBy(member: Member): void {
    void member.gone.then(() => {
      if (member.isLeaving || this.isStopping) return
      const { post, bornAt } = member
      const isQuiet = performance.now() - bornAt > QUIET_MS
      const pause = isQuiet ? SHORTEST_PAUSE_MS : (this.pauses.get(post) ?? SHORTEST_PAUSE_MS)
      this.pauses.set(post, Math.min(pause * 2, LONGEST_PAUSE_MS))
      this.setup.log.error(
        { process: post.name, again_in_ms: pause },
        'a process has ended; it is started again',
      )
      this.later(pause, () => this.hireAgain(post, member))
    })
  }

  private hireAgain(post: Post, dead: Member): void {
    // A roll may have filled the place meanwhile.
    if (this.isStopping || this.members.get(post) !== dead) return
    const member = this.hire(post)
    this.members.set(post, member)
    this.standBy(member)
  }

  private later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      work()
    }, ms)
    this.timers.add(timer)
  }

  private say({ worker }: Member, word: SupervisorWord): void {
    if (worker.isConnected()) worker.send(word)
  }

  private hear(member: Member, word: MemberWord): void {
    if (word.carnet === 'numbers') {
      this.setup.numbers.note(member.worker.id, word.numbers)
      this.answers.get(word.id)?.()
    } else if (word.carnet === 'numbers of all?') {
      void this.gather().then(text => this.say(member, { carnet: 'numbers of all', id: word.id, text }))
    }
  }

  /** Asks all that are up; who does not answer in time counts with what it said before. */
  private async gather(): Promise<string> {
    const id = this.nextId++
    const asked = Array.from(this.members.values()).filter(member => member.isUp)
    let left = asked.length
    const { promise, resolve } = Promise.withResolvers<void>()
    this.answers.set(id, () => {
      left--
      if (left === 0) resolve()
    })
    const timer = setTimeout(resolve, NUMBERS_WITHIN_MS)
    for (const member of asked) this.say(member, { carnet: 'numbers?', id })
    await promise
    clearTimeout(timer)
    this.answers.delete(id)
    return this.setup.numbers.text()
  }
}
