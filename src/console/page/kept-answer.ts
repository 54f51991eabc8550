/**
 * A page that answers a form is stored for minutes, and shown at the address of the form, `?answer=…`:
 * reloading sends nothing again, and a copy of the address shows the form to everybody else
 * (docs/decisions/0085-answers-have-an-address.md).
 */
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import {
  deleteSessionAnswers,
  findSessionAnswer,
  storeSessionAnswer,
} from '../../accounts/idempotency/session-answers.ts'
import { type Session, toAccountContext } from '../../accounts/people/sessions.ts'
import { explainDatabaseError } from '../../kernel/db/database.ts'
import { ANSWER, pageBefore } from './page-before.ts'
import type { AnyVisit, ConsolePage, ConsoleSetup, Redirect } from './route.ts'

/** Encrypted. Most pages take 20 kB; a larger one is answered at once, as to a program. */
const MAX_ANSWER_BYTES = 256 * 1024
const TOKEN = /^[\w-]{22}$/

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

type SignedIn = { setup: ConsoleSetup; session: Session }

/** Another session or version cannot decrypt it: a page names modules that another version may not have. */
const getPlace = ({ setup, session }: SignedIn, token: string) =>
  `answer ${token} of session ${session.id}, version ${setup.version}`

/**
 * The redirect to the stored page; undefined if the page is to be sent at once: to programs, to browsers that
 * hide where the form was, and if a reload should send the form again, as under overload.
 */
export async function keepAnswer(
  visit: SignedIn & Pick<AnyVisit, 'wantsHtml' | 'referer'>,
  { session: renewed, ...page }: ConsolePage & { session?: string },
  hasPage: (path: string) => boolean,
): Promise<Redirect | undefined> {
  const address = visit.wantsHtml && !isWorthRepeating(page) ? findFormAddress(visit.referer) : undefined
  if (address === undefined || !hasPage(address)) return undefined
  const token = randomBytes(16).toString('base64url')
  const body = await encryptPage(visit, token, page)
  if (body.length > MAX_ANSWER_BYTES) return undefined
  if (
    !(await isWritten(() =>
      storeSessionAnswer(getContext(visit), { sessionId: visit.session.id, token, body }),
    ))
  )
    return undefined
  const to = `${address}${address.includes('?') ? '&' : '?'}${ANSWER}=${token}`
  return { to, ...(renewed === undefined ? {} : { session: renewed }) }
}

const isWorthRepeating = ({ status = 200, headers }: ConsolePage) =>
  status === 429 || status >= 500 || headers !== undefined

const getContext = ({ setup, session }: SignedIn) => toAccountContext(setup, session)

async function encryptPage(visit: SignedIn, token: string, page: ConsolePage): Promise<string> {
  const text = (await compress(JSON.stringify(page), FAST)).toString('base64')
  return visit.setup.secretCipher.encrypt(text, getPlace(visit, token)).toString('base64')
}

/** Undefined if the browser does not say where the form was. */
function findFormAddress(referer: string | undefined): string | undefined {
  const before = pageBefore(referer)
  const isThere = referer !== undefined && before.split('?')[0] === new URL(referer, 'http://x').pathname
  return isThere ? before : undefined
}

/** False while the database cannot be written to. */
async function isWritten(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (explainDatabaseError(error)?.code === 'unavailable') return false
    throw error
  }
}

/** Undefined if it is over, or was another session's. */
export async function findKeptAnswer(visit: SignedIn, token: string): Promise<ConsolePage | undefined> {
  if (!TOKEN.test(token)) return undefined
  const body = await findSessionAnswer(getContext(visit), { sessionId: visit.session.id, token })
  if (body === undefined) return undefined
  const text = visit.setup.secretCipher.decrypt(Buffer.from(body, 'base64'), getPlace(visit, token))
  if (text === undefined) return undefined
  return JSON.parse((await decompress(Buffer.from(text, 'base64'))).toString())
}

/** Once the form on such a page has led to another page, nothing needs what was typed. */
export async function forgetAnswer(visit: SignedIn & Pick<AnyVisit, 'referer'>): Promise<void> {
  const token = new URLSearchParams(visit.referer?.split('?', 2)[1] ?? '').get(ANSWER) ?? ''
  if (!TOKEN.test(token)) return
  await isWritten(() => deleteSessionAnswers(getContext(visit), { sessionId: visit.session.id, token }))
}

/** When the session ends. */
export const forgetAnswers = (visit: SignedIn) =>
  isWritten(() => deleteSessionAnswers(getContext(visit), { sessionId: visit.session.id }))
