/** API keys: seen by everyone of the account, made and ended by its owners, because a key outlives its maker's sign-in. */

import { type KeyRecord, listKeys, SCOPES } from '../../accounts/keys/keys.ts'
import { createOwnKey, revokeOwnKey, rotateOwnKey } from '../../accounts/keys/own-keys.ts'
import { KEY_OVERLAP_MS } from '../../accounts/keys/rotate-key.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { KEYS } from '../page/addresses.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import { isInUse } from '../page/key-state.ts'
import type { Outcome, SignedInVisit } from '../page/route.ts'
import { shownOnce } from '../page/secret-cookie.ts'
import {
  KEY_ENDS,
  KEY_NAME_LENGTH_MAX,
  keyPage,
  keysPage,
  type NewKeyForm,
  revokePage,
  rotatePage,
} from './pages.ts'

/** The page that shows a new key. */
export const SHOWN_KEY = `${KEYS}/shown`
const shownKey = shownOnce({
  name: 'carnet-key',
  path: SHOWN_KEY,
  pattern: /^([0-9a-z]{26})\.(dpp_live_[0-9A-Za-z]{42})$/,
})
const DAY_MS = 86_400_000
const EMPTY: NewKeyForm = { name: '', scope: 'full', ends: 'never' }

export const showKeys = (visit: SignedInVisit): Promise<Outcome> => list(visit, EMPTY, {})

async function list(visit: SignedInVisit, typed: NewKeyForm, problems: Problems): Promise<Outcome> {
  const { setup, session, words } = visit
  const keys = await listKeys(setup, session.account.id)
  return keysPage({ words, keys, now: setup.clock.now(), session, typed, problems })
}

export async function submitKey(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, setup, session, form, words } = visit
  const { errors } = words.texts
  if (!session.account.planHasApi) throw new AppError('plan_required', words.texts.home.apiNotIncluded)
  const typed = { name: form.text('name'), scope: form.text('scope'), ends: form.text('ends') }
  const scope = SCOPES.find(one => one === typed.scope)
  const ends = KEY_ENDS.find(one => one === typed.ends)
  const problems = problemsOf({
    name: nameProblem(words.texts, typed.name, KEY_NAME_LENGTH_MAX),
    scope: scope === undefined ? errors.choice : undefined,
    ends: ends === undefined ? errors.choice : undefined,
  })
  if (!isFine(problems) || scope === undefined || ends === undefined) return list(visit, typed, problems)
  const expiresAt =
    ends === 'never' ? undefined : new Date(setup.clock.now().getTime() + Number(ends) * DAY_MS)
  const input = { name: typed.name, scope, expiresAt, createdBy: session.email }
  return wayTo(visit, await createOwnKey(ctx, input))
}

const wayTo = (visit: SignedInVisit, { id, key }: { id: string; key: string }): Outcome => ({
  to: SHOWN_KEY,
  cookie: shownKey.line(visit, { id, secret: key }),
})

/** The only page that ever shows a key, once: reloaded, it leads back to the list. */
export async function showKey(visit: SignedInVisit): Promise<Outcome> {
  const { setup, session, words } = visit
  const shown = shownKey.find(visit)
  const keys = shown === undefined ? [] : await listKeys(setup, session.account.id)
  const record = keys.find(one => one.id === shown?.id)
  if (shown === undefined || record === undefined) return { to: KEYS }
  const page = keyPage(words, setup.addresses, { ...record, key: shown.secret })
  return { ...page, headers: { 'set-cookie': shownKey.line(visit, null) } }
}

export async function showRotate(visit: SignedInVisit): Promise<Outcome> {
  const key = await getKey(visit)
  return isInUse(key, visit.setup.clock.now()) ? rotatePage(visit.words, key) : { to: KEYS }
}

/** A key in place of one that is in use; sent again, or for one that is over, it leads back to the list. */
export async function submitRotate(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, session, words } = visit
  if (!session.account.planHasApi) throw new AppError('plan_required', words.texts.home.apiNotIncluded)
  const { id } = await getKey(visit)
  const input = { id, overlapMs: KEY_OVERLAP_MS, createdBy: session.email }
  try {
    return wayTo(visit, await rotateOwnKey(ctx, input))
  } catch (error) {
    if (error instanceof AppError && error.code === 'archived') return { to: KEYS }
    throw error
  }
}

export async function showRevoke(visit: SignedInVisit): Promise<Outcome> {
  const key = await getKey(visit)
  return isInUse(key, visit.setup.clock.now()) ? revokePage(visit.words, key) : { to: KEYS }
}

export async function submitRevoke({ ctx, id }: SignedInVisit): Promise<Outcome> {
  await revokeOwnKey(ctx, id)
  return { to: KEYS }
}

/** The account's key of the address. Throws `not_found`, for another account's too. */
async function getKey({ setup, session, id }: SignedInVisit): Promise<KeyRecord> {
  const keys = await listKeys(setup, session.account.id)
  const key = keys.find(one => one.id === id)
  if (key === undefined) throw notFound('key')
  return key
}
