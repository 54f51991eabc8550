/** Sends requests to a server and remembers when each ended and how. */
const TIMEOUT_MS = 30_000

/** `unavailable`: 503 with Retry-After. `faulty`: any other 5xx, which no fault excuses. */
export type Outcome = 'answered' | 'unavailable' | 'unanswered' | 'faulty'

/**
 * `at`: when the request ended, by `performance.now()`. `failure`: what was asked and answered, unless the
 * outcome is `answered`.
 */
export type Sent = { at: number; ms: number; outcome: Outcome; failure: string | undefined }

export type Answer = { status: number; text: string; headers: Headers }

export class RequestLog {
  readonly sent: Sent[] = []
  /** 5xx responses without a documented reason, as sentences. */
  readonly faulty: string[] = []

  count(outcome: Outcome): number {
    return this.sent.filter(one => one.outcome === outcome).length
  }

  get slowestMs(): number {
    return this.sent.reduce((slowest, { ms }) => Math.max(slowest, ms), 0)
  }

  /** Undefined without an answer. */
  async send(url: string, init: RequestInit = {}): Promise<Answer | undefined> {
    const began = performance.now()
    const end = (outcome: Outcome, failure?: string) => {
      const at = performance.now()
      this.sent.push({ at, ms: at - began, outcome, failure })
    }
    const asked = `${init.method ?? 'GET'} ${hideIds(new URL(url).pathname)}`
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const { status, headers } = answer
      const text = await answer.text()
      if (status < 500) end('answered')
      else if (status === 503 && headers.has('retry-after'))
        end('unavailable', `${asked}: ${hideIds(text.slice(0, 300))}`)
      else {
        const fault = `${asked} was answered ${status}: ${text.slice(0, 200)}`
        end('faulty', fault)
        this.faulty.push(fault)
      }
      return { status, text, headers }
    } catch (error) {
      end('unanswered', `${asked}: ${error}`)
      return undefined
    }
  }
}

/** Requests that failed in the same way read the same. */
const hideIds = (text: string): string => text.replaceAll(/[0-9A-Za-z-]{20,}/g, '…')
