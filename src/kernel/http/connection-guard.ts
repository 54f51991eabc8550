/** Bounds what connections take: how many there are, how many of one network, and how long one may leave its answers unread. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../log.ts'
import { takeTurn } from '../yield-to-event-loop.ts'
import { getNetwork } from './network.ts'

export type ConnectionLimits = {
  total: number
  perNetwork: number
  /** Requests of one connection that may wait behind the one being answered. */
  pipelined: number
  /** A connection is cut when its client has taken none of the waiting bytes for so long. */
  stalledMs: number
  /** The same while the process, or the connection's network, has more than half of its connections. */
  stalledWhenCrowdedMs: number
  sweepEveryMs: number
  warnEveryMs: number
}

/** Memory is bounded too: an idle connection takes some 20 kB, one with an unread answer some 70 kB. */
const MAX_CONNECTIONS = 16_384
/** Descriptors kept for the database, webhooks, files and sheets: a quarter, between these bounds. */
const MIN_RESERVED_FILES = 64
const MAX_RESERVED_FILES = 2_560
const NETWORKS_TO_FILL = 8
const MIN_PER_NETWORK = 16

/**
 * nginx also waits 60 s for a client to take more. It cannot be much less: a phone reading 20 kB/s from a send buffer that
 * the system has grown to megabytes shows the sender no progress for 40 s (measured over loopback), 100 kB/s for 16 s.
 */
const STALLED_MS = 60_000
const STALLED_WHEN_CROWDED_MS = 15_000

/** What this process can hold, by its limit of open files. Each process of `WORKERS` has a limit of its own. */
export function computeConnectionLimits(openFiles = findMaxOpenFiles()): ConnectionLimits {
  const reserved = Math.max(MIN_RESERVED_FILES, Math.min(MAX_RESERVED_FILES, Math.floor(openFiles / 4)))
  const total = Math.max(MIN_PER_NETWORK, Math.min(MAX_CONNECTIONS, openFiles - reserved))
  return {
    total,
    perNetwork: Math.max(MIN_PER_NETWORK, Math.floor(total / NETWORKS_TO_FILL)),
    pipelined: 64,
    stalledMs: STALLED_MS,
    stalledWhenCrowdedMs: STALLED_WHEN_CROWDED_MS,
    sweepEveryMs: 2_000,
    warnEveryMs: 60_000,
  }
}

/** RLIMIT_NOFILE, which Node has raised to the hard limit at its start. */
function findMaxOpenFiles(): number {
  // Otherwise it looks up the names of all peers, and waits for them.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.MAX_SAFE_INTEGER
}

export type ConnectionNumbers = { open: number; limit: number; ended: Readonly<Record<Reason, number>> }

/** Why connections were refused (the first two) or cut. */
const REASONS = ['total', 'network', 'pipelined', 'stalled'] as const
type Reason = (typeof REASONS)[number]

export type ConnectionGuard = {
  numbers: () => ConnectionNumbers
  /**
   * Calls `answer` when the answers before this one are on their way: at once, or in a turn of the event loop of its own
   * where requests were sent without waiting. Never, when the connection is gone or had too many of them.
   */
  answerInTurn: (request: IncomingMessage, response: ServerResponse, answer: RequestListener) => void
}

type GuardSetup = {
  limits: ConnectionLimits
  log: Log
  /** Proxies bring the connections of many readers. */
  isTrusted: (address: string | undefined) => boolean
}

/** `stalledSweeps` in a row found nothing delivered: time in which this process stood still is not the client's fault. */
type Connection = { network: string | undefined; delivered: number; stalledSweeps: number }

/** Watches a server until it is closed. To be called before it listens. */
export function guardConnections(server: Server, { limits, log, isTrusted }: GuardSetup): ConnectionGuard {
  const open = new Map<Socket, Connection>()
  const perNetwork = new Map<string, number>()
  const queued = new WeakMap<Socket, number>()
  const ended = { total: 0, network: 0, pipelined: 0, stalled: 0 }
  let warned = { at: Number.NEGATIVE_INFINITY, ended: { ...ended } }
  let idleClosedAt = Number.NEGATIVE_INFINITY

  server.maxConnections = limits.total
  // Otherwise the processes of a cluster hand a refused connection round among each other without end.
  Object.assign(server, { dropMaxConnection: true })
  server.on('drop', () => {
    ended.total++
    const now = performance.now()
    if (now - idleClosedAt < limits.sweepEveryMs) return
    // Whoever waits between two requests opens another connection; newcomers cannot.
    idleClosedAt = now
    server.closeIdleConnections()
  })

  server.on('connection', (socket: Socket) => {
    // Node keeps an address that it was asked for once; without one the connection has ended already.
    const { remoteAddress } = socket
    if (remoteAddress === undefined) return
    const network = isTrusted(remoteAddress) ? undefined : getNetwork(remoteAddress)
    if (network !== undefined) {
      const count = perNetwork.get(network) ?? 0
      if (count >= limits.perNetwork) {
        ended.network++
        socket.destroy()
        return
      }
      perNetwork.set(network, count + 1)
    }
    open.set(socket, { network, delivered: 0, stalledSweeps: 0 })
    socket.once('close', () => {
      open.delete(socket)
      if (network === undefined) return
      const left = (perNetwork.get(network) ?? 1) - 1
      if (left > 0) perNetwork.set(network, left)
      else perNetwork.delete(network)
    })
  })

  const isCrowded = (network: string | undefined) =>
    open.size > limits.total / 2 ||
    (network !== undefined && (perNetwork.get(network) ?? 0) > limits.perNetwork / 2)

  const sweep = () => {
    for (const [socket, connection] of open) {
      const { waiting, delivered } = readProgress(socket)
      if (waiting === 0 || delivered !== connection.delivered) {
        connection.delivered = delivered
        connection.stalledSweeps = 0
        continue
      }
      const maxStalledMs = isCrowded(connection.network) ? limits.stalledWhenCrowdedMs : limits.stalledMs
      if (++connection.stalledSweeps * limits.sweepEveryMs < maxStalledMs) continue
      ended.stalled++
      socket.destroy()
    }
    warn(performance.now())
  }

  const warn = (now: number) => {
    if (now - warned.at < limits.warnEveryMs) return
    const news = REASONS.map(reason => [reason, ended[reason] - warned.ended[reason]] as const)
    if (news.every(([, count]) => count === 0)) return
    warned = { at: now, ended: { ...ended } }
    const counts = Object.fromEntries(news)
    log.warn(
      {
        refused_at_limit: counts.total,
        refused_by_network: counts.network,
        cut_unread: counts.stalled,
        cut_pipelined: counts.pipelined,
        open: open.size,
        limit: limits.total,
        limit_per_network: limits.perNetwork,
      },
      'connections were refused or cut',
    )
  }

  const timer = setInterval(sweep, limits.sweepEveryMs).unref()
  server.once('close', () => clearInterval(timer))

  return {
    numbers: () => ({ open: open.size, limit: limits.total, ended }),
    answerInTurn(request, response, answer) {
      // A response gets the socket when those before it are done.
      if (response.socket !== null) return answer(request, response)
      const { socket } = request
      const before = queued.get(socket) ?? 0
      if (before >= limits.pipelined) {
        // The parser goes on through what it has read, also after the end.
        if (!socket.destroyed) ended.pipelined++
        socket.destroy()
        return
      }
      queued.set(socket, before + 1)
      response.once('socket', () => {
        queued.set(socket, (queued.get(socket) ?? 1) - 1)
        // All at once, the answers of one connection would hold up all others.
        void takeTurn().then(() => !socket.destroyed && answer(request, response))
      })
    },
  }
}

/** What the system took of a connection's bytes, and what still waits. A write of megabytes counts piece by piece. */
function readProgress(socket: Socket): { waiting: number; delivered: number } {
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
  }
  const inSystem = handle?.writeQueueSize ?? 0
  const delivered = (handle?.bytesWritten ?? socket.bytesWritten - socket.writableLength) - inSystem
  return { waiting: Math.max(socket.writableLength, inSystem), delivered }
}
