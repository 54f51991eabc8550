/** The developer's part of the console's table of contents. What makes or shows a secret is for owners. */

import { DEVELOPER, WEBHOOKS } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import { showWebhook } from './endpoint-page.ts'
import {
  showChange,
  showNewWebhook,
  showRemove,
  showWebhooks,
  submitChange,
  submitNewWebhook,
  submitRemove,
  submitState,
} from './endpoints.ts'
import { showDeveloper } from './overview.ts'
import { SHOWN_SECRET, showRotateSecret, showSecret, submitActivate, submitRotateSecret } from './secrets.ts'
import { submitReplay, submitResend, submitTest } from './sending.ts'

export const DEVELOPER_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: DEVELOPER, access: 'signed_in', handle: showDeveloper },
  { method: 'GET', path: WEBHOOKS, access: 'signed_in', handle: showWebhooks },
  { method: 'POST', path: WEBHOOKS, access: 'owner', needsProof: true, handle: submitNewWebhook },
  { method: 'GET', path: `${WEBHOOKS}/new`, access: 'owner', handle: showNewWebhook },
  { method: 'GET', path: SHOWN_SECRET, access: 'owner', handle: showSecret },
  { method: 'GET', path: `${WEBHOOKS}/:id`, access: 'signed_in', handle: showWebhook },
  { method: 'POST', path: `${WEBHOOKS}/:id`, access: 'owner', needsProof: true, handle: submitChange },
  { method: 'GET', path: `${WEBHOOKS}/:id/edit`, access: 'owner', handle: showChange },
  { method: 'POST', path: `${WEBHOOKS}/:id/state`, access: 'editor', handle: submitState },
  {
    method: 'POST',
    path: `${WEBHOOKS}/:id/test`,
    access: 'editor',
    cost: 'webhook_test',
    handle: submitTest,
  },
  { method: 'POST', path: `${WEBHOOKS}/:id/resend`, access: 'editor', handle: submitResend },
  { method: 'POST', path: `${WEBHOOKS}/:id/replay`, access: 'editor', handle: submitReplay },
  { method: 'GET', path: `${WEBHOOKS}/:id/rotate`, access: 'owner', handle: showRotateSecret },
  {
    method: 'POST',
    path: `${WEBHOOKS}/:id/rotate`,
    access: 'owner',
    needsProof: true,
    handle: submitRotateSecret,
  },
  { method: 'POST', path: `${WEBHOOKS}/:id/activate`, access: 'owner', handle: submitActivate },
  { method: 'GET', path: `${WEBHOOKS}/:id/remove`, access: 'owner', handle: showRemove },
  { method: 'POST', path: `${WEBHOOKS}/:id/remove`, access: 'owner', needsProof: true, handle: submitRemove },
]
