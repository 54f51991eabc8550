/**
 * Limits connections: their number, their number per network, and how long a client may leave responses
 * unread.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { waitForEventLoopTurn } from '../concurrency/yield-to-event-loop.ts'
import type { Log } from '../errors/log.ts'
import { getNetwork } from './network.ts'

export type ConnectionLimits = ReturnType<typeof computeConnectionLimits>

/** Bounds memory: an idle connection takes about 20 kB, one with an unread response about 70 kB. */
const MAX_CONNECTIONS = 16_384
/**
 * A quarter of the file descriptors, within these bounds, is reserved for the database, webhooks and files.
 */
const MIN_RESERVED_FILES = 64
const MAX_RESERVED_FILES = 2_560
const NETWORKS_TO_FILL = 8
const MIN_PER_NETWORK = 16

/**
 * As long as nginx's `send_timeout`. A phone reading 20 kB/s from a buffer of megabytes shows no progress for
 * 40 s (measured over loopback).
 */
const STALLED_MS = 60_000
const STALLED_WHEN_CROWDED_MS = 15_000

/** From the process's limit of open files. Each process of `WORKERS` has its own. */
export function computeConnectionLimits(openFiles = findMaxOpenFiles()) {
  const reserved = Math.max(MIN_RESERVED_FILES, Math.min(MAX_RESERVED_FILES, Math.floor(openFiles / 4)))
  const total = Math.max(MIN_PER_NETWORK, Math.min(MAX_CONNECTIONS, openFiles - reserved))
  return {
    total,
    perNetwork: Math.max(MIN_PER_NETWORK, Math.floor(total / NETWORKS_TO_FILL)),
    /** Requests of one connection that may wait behind the current one. */
    pipelined: 64,
    /** A connection is cut if its client reads none of the waiting bytes for this long. */
    stalledMs: STALLED_MS,
    /** The limit while the process, or the connection's network, uses more than half of its connections. */
    stalledWhenCrowdedMs: STALLED_WHEN_CROWDED_MS,
    sweepEveryMs: 2_000,
    warnEveryMs: 60_000,
  }
}

/** RLIMIT_NOFILE, which Node raises to the hard limit at its start. */
function findMaxOpenFiles(): number {
  // Without this, the report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const report: { userLimits?: { open_files?: { soft: number | 'unlimited' } } } = process.report.getReport()
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.MAX_SAFE_INTEGER
}

export type ConnectionNumbers = { open: number; limit: number; ended: Readonly<Record<Reason, number>> }

/** Why connections were refused (the first two) or cut. */
const REASONS = ['total', 'network', 'pipelined', 'stalled'] as const
type Reason = (typeof REASONS)[number]

type GuardSetup = {
  limits: ConnectionLimits
  log: Log
  /** The connections of a trusted proxy are not limited as one network: they serve many clients. */
  isTrusted: (address: string | undefined) => boolean
}

/** `stalledSweeps`: consecutive sweeps without progress. Time in which this process hung does not count. */
type Connection = { network: string | undefined; delivered: number; stalledSweeps: number }

type Ended = Record<Reason, number>

/** Call it before the server listens. */
export function guardConnections(server: Server, { limits, log, isTrusted }: GuardSetup) {
  const ended: Ended = { total: 0, network: 0, pipelined: 0, stalled: 0 }
  const open = trackConnections(limits, isTrusted)
  limitTotal(server, limits, ended)
  server.on('connection', (socket: Socket) => {
    if (open.add(socket)) return
    ended.network++
    socket.destroy()
  })

  const warn = createWarning(limits, ended, log)
  const sweep = () => {
    ended.stalled += open.cutStalled()
    warn(performance.now(), open.count())
  }
  const timer = setInterval(sweep, limits.sweepEveryMs).unref()
  server.once('close', () => clearInterval(timer))

  return {
    numbers: (): ConnectionNumbers => ({ open: open.count(), limit: limits.total, ended }),
    handleInOrder: createPipelineQueue(limits, ended),
  }
}

function limitTotal(server: Server, limits: ConnectionLimits, ended: Ended): void {
  let idleClosedAt = Number.NEGATIVE_INFINITY
  server.maxConnections = limits.total
  // Without this, the processes of a cluster would pass a refused connection to each other forever.
  Object.assign(server, { dropMaxConnection: true })
  server.on('drop', () => {
    ended.total++
    const now = performance.now()
    if (now - idleClosedAt < limits.sweepEveryMs) return
    // Makes room: an idle client can reconnect, but a new one cannot connect at all.
    idleClosedAt = now
    server.closeIdleConnections()
  })
}

function trackConnections(limits: ConnectionLimits, isTrusted: GuardSetup['isTrusted']) {
  const open = new Map<Socket, Connection>()
  const perNetwork = new Map<string, number>()
  const countOf = (network: string) => perNetwork.get(network) ?? 0
  const isCrowded = (network: string | undefined) =>
    open.size > limits.total / 2 || (network !== undefined && countOf(network) > limits.perNetwork / 2)
  const remove = (socket: Socket, network: string | undefined) => {
    open.delete(socket)
    if (network === undefined) return
    const left = countOf(network) - 1
    if (left > 0) perNetwork.set(network, left)
    else perNetwork.delete(network)
  }
  return {
    count: () => open.size,
    /** False if its network already has too many. */
    add(socket: Socket): boolean {
      // Without an address, the connection has already ended.
      const { remoteAddress } = socket
      if (remoteAddress === undefined) return true
      const network = isTrusted(remoteAddress) ? undefined : getNetwork(remoteAddress)
      if (network !== undefined) {
        const count = countOf(network)
        if (count >= limits.perNetwork) return false
        perNetwork.set(network, count + 1)
      }
      open.set(socket, { network, delivered: 0, stalledSweeps: 0 })
      socket.once('close', () => remove(socket, network))
      return true
    },
    /** Returns how many connections were cut. */
    cutStalled(): number {
      let cut = 0
      for (const [socket, connection] of open) {
        const { waiting, delivered } = readProgress(socket)
        if (waiting === 0 || delivered !== connection.delivered) {
          connection.delivered = delivered
          connection.stalledSweeps = 0
          continue
        }
        const { stalledMs, stalledWhenCrowdedMs, sweepEveryMs } = limits
        const maxStalledMs = isCrowded(connection.network) ? stalledWhenCrowdedMs : stalledMs
        if (++connection.stalledSweeps * sweepEveryMs < maxStalledMs) continue
        cut++
        socket.destroy()
      }
      return cut
    },
  }
}

function createWarning(limits: ConnectionLimits, ended: Ended, log: Log) {
  let warned = { at: Number.NEGATIVE_INFINITY, ended: { ...ended } }
  return (now: number, open: number): void => {
    if (now - warned.at < limits.warnEveryMs) return
    const since = warned.ended
    if (REASONS.every(reason => ended[reason] === since[reason])) return
    warned = { at: now, ended: { ...ended } }
    log.warn(
      {
        refused_at_limit: ended.total - since.total,
        refused_by_network: ended.network - since.network,
        cut_unread: ended.stalled - since.stalled,
        cut_pipelined: ended.pipelined - since.pipelined,
        open,
        limit: limits.total,
        limit_per_network: limits.perNetwork,
      },
      'connections were refused or cut',
    )
  }
}

/**
 * Returns a function that calls `handle` when the earlier responses of the connection are sent. Each
 * pipelined request is handled in its own turn of the event loop. Not called if the connection is lost or has
 * too many such requests.
 */
function createPipelineQueue({ pipelined }: ConnectionLimits, ended: Ended) {
  const queued = new WeakMap<Socket, number>()
  return (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => {
    // Node assigns the socket to a response when the earlier ones are sent.
    if (response.socket !== null) return handle(request, response)
    const { socket } = request
    const before = queued.get(socket) ?? 0
    if (before >= pipelined) {
      // The parser continues with buffered bytes even after the socket was destroyed.
      if (!socket.destroyed) ended.pipelined++
      socket.destroy()
      return
    }
    queued.set(socket, before + 1)
    response.once('socket', () => {
      queued.set(socket, (queued.get(socket) ?? 1) - 1)
      // Without this, the requests of one connection would delay all others.
      void waitForEventLoopTurn().then(() => !socket.destroyed && handle(request, response))
    })
  }
}

/** Bytes delivered to the operating system, and bytes waiting. A large write counts as it progresses. */
function readProgress(socket: Socket): { waiting: number; delivered: number } {
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
  }
  const inSystem = handle?.writeQueueSize ?? 0
  const delivered = (handle?.bytesWritten ?? socket.bytesWritten - socket.writableLength) - inSystem
  return { waiting: Math.max(socket.writableLength, inSystem), delivered }
}
