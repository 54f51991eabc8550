/** The only place that sends mail. A letter is taken at once and sent behind the answer; without a server none is sent. */
import type { Transporter } from 'nodemailer'
import type { SmtpServer } from '../config/environment-reader.ts'
import type { Log } from '../log.ts'

/** Lines of `text` end with `\n`. */
export type Email = { to: string; subject: string; text: string }

export type Mailer = {
  /** False: nothing is sent, and no page makes a link for a letter. */
  hasServer: boolean
  /** Sends a letter, or one that is still being written, or none. Never throws: what fails is logged. */
  send: (letter: Email | Promise<Email | undefined>) => void
  /** Resolves when nothing is under way any more; at the end of the process what waits for its next try is given up. */
  settled: () => Promise<void>
  stop: () => void
}

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000
/** A server that asks to come back later (greylisting) means minutes. */
const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 900_000]
/** Security bound: a server that is down must not fill the memory. */
const MAX_PENDING = 500

export function openMailer(
  server: SmtpServer | undefined,
  log: Log,
  tryAgainAfterMs: readonly number[] = RETRY_DELAYS_MS,
): Mailer {
  const underWay = new Set<Promise<void>>()
  const ending = Promise.withResolvers<void>()
  let isStopped = false
  const deliver = server === undefined ? undefined : createSender(server)

  const sendOne = async (email: Email) => {
    if (deliver === undefined) {
      log.error('an e-mail was not sent: no SMTP_URL is set')
      return
    }
    for (const wait of [...tryAgainAfterMs, undefined]) {
      const problem = await deliver(email)
      if (problem === undefined) return
      const isLast = wait === undefined || problem.isFinal || isStopped
      if (isLast) {
        log.error({ to: email.to, reason: problem.reason }, 'a letter was not sent')
        return
      }
      log.warn({ reason: problem.reason }, 'the mail server did not take a letter; it is tried again')
      await Promise.race([pause(wait), ending.promise])
    }
  }

  const send: Mailer['send'] = email => {
    if (underWay.size >= MAX_PENDING) {
      log.error({ waiting: underWay.size }, 'a letter was not sent: too many are waiting')
      // It may still be being written: its end is nobody's business, its failure must not end the process.
      Promise.resolve(email).catch(() => undefined)
      return
    }
    const work = Promise.resolve(email)
      .then(written => (written === undefined ? undefined : sendOne(written)))
      .catch(error => log.error({ err: error }, 'a letter could not be written'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  return {
    hasServer: server !== undefined,
    send,
    settled: async () => {
      await Promise.all(underWay)
    },
    stop() {
      isStopped = true
      ending.resolve()
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms).unref())
}

type Problem = { reason: string; isFinal: boolean }

/** Loaded with the first letter. A password goes over TLS only, but to this machine itself. */
function createSender(server: SmtpServer): (letter: Email) => Promise<Problem | undefined> {
  const { host, port, secure, user, password, from } = server
  const isHere = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      requireTLS: !secure && user !== undefined && !isHere,
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: Promise<Transporter> | undefined
  return async ({ to, subject, text }) => {
    transport ??= open()
    try {
      const opened = await transport
      await opened.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return undefined
    } catch (error) {
      return explainError(error)
    }
  }
}

/** RFC 5321 §4.2.1: what begins with 5 will be refused again. */
function explainError(error: unknown): Problem {
  if (!(error instanceof Error)) return { reason: String(error), isFinal: true }
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  return { reason: error.message, isFinal: code >= 500 }
}
