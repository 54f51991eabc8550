/** Sends all e-mail in the background. Without a mail server, sends none. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import type { SmtpServer } from '../config/environment-reader.ts'
import type { Log } from '../errors/log.ts'

/** Lines of `text` end with `\n`. */
export type Email = { to: string; subject: string; text: string }

export type Mailer = ReturnType<typeof openMailer>

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000
/** Servers that use greylisting accept a retry only after minutes. */
const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 900_000]
/** Security bound: e-mails for a server that is down must not fill the memory. */
const MAX_PENDING = 500

export function openMailer(
  server: SmtpServer | undefined,
  log: Log,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
) {
  const underWay = new Set<Promise<void>>()
  const stopping = Promise.withResolvers<void>()
  let isStopped = false
  const deliver = server === undefined ? undefined : createSender(server)

  const sendOne = async (email: Email) => {
    if (deliver === undefined) {
      log.error('an e-mail was not sent: no SMTP_URL is set')
      return
    }
    for (const wait of [...retryDelaysMs, undefined]) {
      const problem = await deliver(email)
      if (problem === undefined) return
      const isLast = wait === undefined || problem.isFinal || isStopped
      if (isLast) {
        log.error({ to: email.to, reason: problem.reason }, 'an e-mail was not sent')
        return
      }
      log.warn({ reason: problem.reason }, 'the mail server did not accept an e-mail; trying again')
      await Promise.race([pause(wait, undefined, { ref: false }), stopping.promise])
    }
  }

  const send = (email: Email | Promise<Email | undefined>) => {
    if (underWay.size >= MAX_PENDING) {
      log.error({ waiting: underWay.size }, 'an e-mail was not sent: too many are waiting')
      // A rejected promise must not end the process.
      Promise.resolve(email).catch(() => undefined)
      return
    }
    const work = Promise.resolve(email)
      .then(written => (written === undefined ? undefined : sendOne(written)))
      .catch(error => log.error({ err: error }, 'an e-mail could not be written'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  return {
    /** If false, nothing is sent, and no page offers to send e-mail. */
    hasServer: server !== undefined,
    /** Also accepts a promise of an e-mail, or of none. Never throws: failures are logged. */
    send,
    /** Resolves when nothing is pending. After `stop`, an e-mail that waits for its next try is dropped. */
    async settled() {
      await Promise.all(underWay)
    },
    stop() {
      isStopped = true
      stopping.resolve()
    },
  }
}

type Problem = { reason: string; isFinal: boolean }

/** Loaded with the first e-mail. A password is only sent over TLS, except to this machine. */
function createSender(server: SmtpServer): (email: Email) => Promise<Problem | undefined> {
  const { host, port, secure, user, password, from } = server
  const isLocal = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      requireTLS: !secure && user !== undefined && !isLocal,
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
      await (await transport).sendMail({
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

/** RFC 5321 §4.2.1: a reply code that begins with 5 is final. */
function explainError(error: unknown): Problem {
  if (!(error instanceof Error)) return { reason: String(error), isFinal: true }
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  return { reason: error.message, isFinal: code >= 500 }
}
