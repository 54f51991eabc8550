/** The settings' part of the console's table of contents. */

import { ALL_DATA, SETTINGS } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import { showLinks, showRevokeLink, submitLink, submitRevokeLink } from './access-links.ts'
import { showAudit } from './audit.ts'
import { showClose, submitClose } from './close.ts'
import { showData, submitData } from './data.ts'
import { showSettings, submitIndexing, submitName } from './overview.ts'
import {
  showPasskey,
  showPasskeys,
  showRemovePasskey,
  submitMadePasskey,
  submitNewPasskey,
  submitPasskeyName,
  submitRemovePasskey,
} from './passkeys.ts'
import { showPassword, submitPassword } from './password.ts'
import {
  INVITATION_SHOWN,
  showInvitation,
  showPeople,
  showPerson,
  showRemovePerson,
  submitEndSessionsOf,
  submitInvitation,
  submitInvitationAgain,
  submitRemovePerson,
  submitRole,
} from './people.ts'
import { AUDIT, LINKS, PASSKEYS, PASSWORD, PEOPLE, SESSIONS } from './places.ts'
import { showSessions, submitEndOthers, submitEndSession } from './sessions.ts'

export const SETTINGS_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: SETTINGS, access: 'signed_in', handle: showSettings },
  { method: 'POST', path: `${SETTINGS}/name`, access: 'owner', handle: submitName },
  { method: 'POST', path: `${SETTINGS}/indexing`, access: 'owner', handle: submitIndexing },
  { method: 'GET', path: `${SETTINGS}/close`, access: 'owner', handle: showClose },
  { method: 'POST', path: `${SETTINGS}/close`, access: 'owner', needsProof: true, handle: submitClose },
  { method: 'GET', path: ALL_DATA, access: 'owner', handle: showData },
  { method: 'POST', path: ALL_DATA, access: 'owner', handle: submitData },
  { method: 'GET', path: PEOPLE, access: 'signed_in', handle: showPeople },
  { method: 'POST', path: PEOPLE, access: 'owner', needsProof: true, handle: submitInvitation },
  { method: 'GET', path: `${PEOPLE}/:id`, access: 'owner', handle: showPerson },
  { method: 'POST', path: `${PEOPLE}/:id`, access: 'owner', needsProof: true, handle: submitRole },
  {
    method: 'POST',
    path: `${PEOPLE}/:id/invite`,
    access: 'owner',
    needsProof: true,
    handle: submitInvitationAgain,
  },
  {
    method: 'POST',
    path: `${PEOPLE}/:id/end-sessions`,
    access: 'owner',
    needsProof: true,
    handle: submitEndSessionsOf,
  },
  { method: 'GET', path: INVITATION_SHOWN, access: 'owner', handle: showInvitation },
  // An owner removes anyone, everyone else themselves: the page tells them apart.
  { method: 'GET', path: `${PEOPLE}/:id/remove`, access: 'signed_in', handle: showRemovePerson },
  {
    method: 'POST',
    path: `${PEOPLE}/:id/remove`,
    access: 'signed_in',
    needsProof: true,
    handle: submitRemovePerson,
  },
  { method: 'GET', path: LINKS, access: 'signed_in', handle: showLinks },
  { method: 'POST', path: LINKS, access: 'editor', handle: submitLink },
  { method: 'GET', path: `${LINKS}/:id/revoke`, access: 'editor', handle: showRevokeLink },
  { method: 'POST', path: `${LINKS}/:id/revoke`, access: 'editor', handle: submitRevokeLink },
  { method: 'GET', path: AUDIT, access: 'signed_in', handle: showAudit },
  { method: 'GET', path: PASSWORD, access: 'signed_in', handle: showPassword },
  { method: 'POST', path: PASSWORD, access: 'signed_in', handle: submitPassword },
  { method: 'GET', path: PASSKEYS, access: 'signed_in', handle: showPasskeys },
  { method: 'POST', path: PASSKEYS, access: 'signed_in', handle: submitNewPasskey },
  { method: 'POST', path: `${PASSKEYS}/made`, access: 'signed_in', handle: submitMadePasskey },
  { method: 'GET', path: `${PASSKEYS}/:id`, access: 'signed_in', handle: showPasskey },
  { method: 'POST', path: `${PASSKEYS}/:id`, access: 'signed_in', handle: submitPasskeyName },
  { method: 'GET', path: `${PASSKEYS}/:id/remove`, access: 'signed_in', handle: showRemovePasskey },
  {
    method: 'POST',
    path: `${PASSKEYS}/:id/remove`,
    access: 'signed_in',
    needsProof: true,
    handle: submitRemovePasskey,
  },
  { method: 'GET', path: SESSIONS, access: 'signed_in', handle: showSessions },
  {
    method: 'POST',
    path: `${SESSIONS}/end-others`,
    access: 'signed_in',
    needsProof: true,
    handle: submitEndOthers,
  },
  {
    method: 'POST',
    path: `${SESSIONS}/:id/end`,
    access: 'signed_in',
    needsProof: true,
    handle: submitEndSession,
  },
]
