/** The routes of the pages about API keys. */
import { KEYS } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import {
  SHOWN_KEY,
  showKey,
  showKeys,
  showRevoke,
  showRotate,
  submitKey,
  submitRevoke,
  submitRotate,
} from './keys.ts'

export const KEY_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: KEYS, access: 'signed_in', handle: showKeys },
  { method: 'POST', path: KEYS, access: 'owner', needsProof: true, handle: submitKey },
  { method: 'GET', path: SHOWN_KEY, access: 'owner', handle: showKey },
  { method: 'GET', path: `${KEYS}/:id/rotate`, access: 'owner', handle: showRotate },
  { method: 'POST', path: `${KEYS}/:id/rotate`, access: 'owner', needsProof: true, handle: submitRotate },
  { method: 'GET', path: `${KEYS}/:id/revoke`, access: 'owner', handle: showRevoke },
  { method: 'POST', path: `${KEYS}/:id/revoke`, access: 'owner', handle: submitRevoke },
]
