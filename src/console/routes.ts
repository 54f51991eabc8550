/** The console's pages: who may see each, and its handler. Only owners see and create secrets. */
import { showBrand, submitLogos, submitLook } from './brand/brand.ts'
import { showWebhook, submitReplay, submitResend, submitTest } from './developer/endpoint-page.ts'
import {
  showChange,
  showNewWebhook,
  showRemove,
  showWebhooks,
  submitChange,
  submitNewWebhook,
  submitRemove,
  submitState,
} from './developer/endpoints.ts'
import { showDeveloper } from './developer/overview.ts'
import {
  SHOWN_SECRET,
  showRotateSecret,
  showSecret,
  submitActivate,
  submitRotateSecret,
} from './developer/secrets.ts'
import { showHome, submitAccount } from './home.ts'
import {
  SHOWN_KEY,
  showKey,
  showKeys,
  showRevoke,
  showRotate,
  submitKey,
  submitRevoke,
  submitRotate,
} from './keys/keys.ts'
import {
  ALL_DATA,
  BRAND,
  DEVELOPER,
  FORGOTTEN,
  HOME,
  KEYS,
  SCANS,
  SETTINGS,
  SIGN_IN,
  WEBHOOKS,
} from './page/addresses.ts'
import { anyone, type ConsoleRoute, editor, owner, signedIn } from './page/route.ts'
import { showProduct, submitProductStatus } from './products/detail.ts'
import { showEdit, submitEdit } from './products/edit.ts'
import { showProducts, submitListStatus } from './products/list.ts'
import { showNew, submitNew } from './products/new.ts'
import { showVersion, submitRevert } from './products/versions.ts'
import { SWITCHES } from './scans/key-figures.ts'
import { showScans } from './scans/overview.ts'
import { submitSwitches } from './scans/switches.ts'
import { showLinks, showRevokeLink, submitLink, submitRevokeLink } from './settings/access-links.ts'
import { showAudit } from './settings/audit.ts'
import { showData, submitData } from './settings/data.ts'
import { showClose, showSettings, submitClose, submitIndexing, submitName } from './settings/overview.ts'
import {
  showPasskey,
  showPasskeys,
  showRemovePasskey,
  submitMadePasskey,
  submitNewPasskey,
  submitPasskeyName,
  submitRemovePasskey,
} from './settings/passkeys.ts'
import { showPassword, submitPassword } from './settings/password.ts'
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
} from './settings/people.ts'
import { AUDIT, LINKS, PASSKEYS, PASSWORD, PEOPLE, SESSIONS } from './settings/places.ts'
import { showSessions, submitEndOthers, submitEndSession } from './settings/sessions.ts'
import { CONFIRM_OPTIONS, submitConfirmOptions } from './sign-in/confirm.ts'
import { showForgotten, submitForgotten } from './sign-in/forgotten-password.ts'
import { showSetPassword, submitSetPassword } from './sign-in/set-password.ts'
import { showSetUp, submitSetUp } from './sign-in/set-up.ts'
import {
  showSignIn,
  submitPasskey,
  submitPasskeyOptions,
  submitSignIn,
  submitSignOut,
} from './sign-in/sign-in.ts'
import { submitColumns, submitSheetChoice } from './spreadsheets/columns.ts'
import { sendExport, sendTemplate, showExport } from './spreadsheets/downloads.ts'
import {
  sendErrors,
  showImportProgress,
  submitDiscard,
  submitRun,
  submitStop,
} from './spreadsheets/progress.ts'
import { showImport, submitSpreadsheet } from './spreadsheets/start.ts'
import { showIssue, submitIssue } from './units/issue.ts'
import { sendCode, sendLabels, showLabels } from './units/labels.ts'
import { submitRefresh } from './units/refresh.ts'

/** The limit of a form with a whole passport. */
export const MAX_DATA_BYTES = 1024 * 1024

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  signedIn.get(HOME, showHome),
  anyone.get(SIGN_IN, showSignIn),
  anyone.post(SIGN_IN, submitSignIn),
  anyone.post('/console/sign-in/passkey', submitPasskey),
  anyone.post('/console/sign-in/passkey/options', submitPasskeyOptions),
  anyone.get(FORGOTTEN, showForgotten),
  anyone.post(FORGOTTEN, submitForgotten),
  signedIn.post(CONFIRM_OPTIONS, submitConfirmOptions),
  anyone.post('/console/sign-out', submitSignOut),
  anyone.get('/console/set-up', showSetUp),
  anyone.post('/console/set-up', submitSetUp),
  anyone.get('/console/set-password', showSetPassword),
  anyone.post('/console/set-password', submitSetPassword),
  signedIn.post('/console/account', submitAccount),
  signedIn.get('/console/products', showProducts),
  editor.post('/console/products', submitNew, { bodyLimit: MAX_DATA_BYTES }),
  editor.post('/console/products/status', submitListStatus),
  editor.get('/console/products/new', showNew),
  signedIn.get('/console/products/:id', showProduct),
  editor.post('/console/products/:id', submitEdit, { bodyLimit: MAX_DATA_BYTES }),
  editor.get('/console/products/:id/edit', showEdit),
  editor.post('/console/products/:id/status', submitProductStatus),
  editor.post('/console/products/:id/refresh', submitRefresh),
  editor.post('/console/products/:id/units', submitIssue),
  editor.get('/console/products/:id/units/new', showIssue),
  signedIn.get('/console/products/:id/code.png', sendCode),
  signedIn.get('/console/products/:id/labels', showLabels),
  signedIn.get('/console/products/:id/labels/file', sendLabels, { cost: 'download' }),
  signedIn.get('/console/products/:id/versions/:n', showVersion),
  editor.post('/console/products/:id/versions/:n/revert', submitRevert),
  signedIn.get('/console/import', showImport),
  editor.post('/console/import', submitSpreadsheet, { takesFile: true }),
  signedIn.get('/console/import/template', sendTemplate),
  editor.get('/console/import/:id', showImportProgress),
  editor.post('/console/import/:id/columns', submitColumns, { bodyLimit: MAX_DATA_BYTES }),
  editor.post('/console/import/:id/sheet', submitSheetChoice),
  editor.post('/console/import/:id/run', submitRun),
  editor.post('/console/import/:id/stop', submitStop),
  editor.post('/console/import/:id/discard', submitDiscard),
  editor.get('/console/import/:id/errors', sendErrors, { cost: 'download' }),
  signedIn.get('/console/export', showExport),
  signedIn.get('/console/export/file', sendExport, { cost: 'download' }),
  signedIn.get(SCANS, showScans),
  editor.post(SWITCHES, submitSwitches),
  signedIn.get(KEYS, showKeys),
  owner.post(KEYS, submitKey, { needsProof: true }),
  owner.get(SHOWN_KEY, showKey),
  owner.get(`${KEYS}/:id/rotate`, showRotate),
  owner.post(`${KEYS}/:id/rotate`, submitRotate, { needsProof: true }),
  owner.get(`${KEYS}/:id/revoke`, showRevoke),
  owner.post(`${KEYS}/:id/revoke`, submitRevoke),
  signedIn.get(SETTINGS, showSettings),
  owner.post(`${SETTINGS}/name`, submitName),
  owner.post(`${SETTINGS}/indexing`, submitIndexing),
  owner.get(`${SETTINGS}/close`, showClose),
  owner.post(`${SETTINGS}/close`, submitClose, { needsProof: true }),
  owner.get(ALL_DATA, showData),
  owner.post(ALL_DATA, submitData),
  signedIn.get(PEOPLE, showPeople),
  owner.post(PEOPLE, submitInvitation, { needsProof: true }),
  owner.get(`${PEOPLE}/:id`, showPerson),
  owner.post(`${PEOPLE}/:id`, submitRole, { needsProof: true }),
  owner.post(`${PEOPLE}/:id/invite`, submitInvitationAgain, { needsProof: true }),
  owner.post(`${PEOPLE}/:id/end-sessions`, submitEndSessionsOf, { needsProof: true }),
  owner.get(INVITATION_SHOWN, showInvitation),
  // Owners can remove anyone, others only themselves; the page checks that.
  signedIn.get(`${PEOPLE}/:id/remove`, showRemovePerson),
  signedIn.post(`${PEOPLE}/:id/remove`, submitRemovePerson, { needsProof: true }),
  signedIn.get(LINKS, showLinks),
  editor.post(LINKS, submitLink),
  editor.get(`${LINKS}/:id/revoke`, showRevokeLink),
  editor.post(`${LINKS}/:id/revoke`, submitRevokeLink),
  signedIn.get(AUDIT, showAudit),
  signedIn.get(PASSWORD, showPassword),
  signedIn.post(PASSWORD, submitPassword),
  signedIn.get(PASSKEYS, showPasskeys),
  signedIn.post(PASSKEYS, submitNewPasskey),
  signedIn.post(`${PASSKEYS}/made`, submitMadePasskey),
  signedIn.get(`${PASSKEYS}/:id`, showPasskey),
  signedIn.post(`${PASSKEYS}/:id`, submitPasskeyName),
  signedIn.get(`${PASSKEYS}/:id/remove`, showRemovePasskey),
  signedIn.post(`${PASSKEYS}/:id/remove`, submitRemovePasskey, { needsProof: true }),
  signedIn.get(SESSIONS, showSessions),
  signedIn.post(`${SESSIONS}/end-others`, submitEndOthers, { needsProof: true }),
  signedIn.post(`${SESSIONS}/:id/end`, submitEndSession, { needsProof: true }),
  signedIn.get(DEVELOPER, showDeveloper),
  signedIn.get(WEBHOOKS, showWebhooks),
  owner.post(WEBHOOKS, submitNewWebhook, { needsProof: true }),
  owner.get(`${WEBHOOKS}/new`, showNewWebhook),
  owner.get(SHOWN_SECRET, showSecret),
  signedIn.get(`${WEBHOOKS}/:id`, showWebhook),
  owner.post(`${WEBHOOKS}/:id`, submitChange, { needsProof: true }),
  owner.get(`${WEBHOOKS}/:id/edit`, showChange),
  editor.post(`${WEBHOOKS}/:id/state`, submitState),
  editor.post(`${WEBHOOKS}/:id/test`, submitTest, { cost: 'webhook_test' }),
  editor.post(`${WEBHOOKS}/:id/resend`, submitResend),
  editor.post(`${WEBHOOKS}/:id/replay`, submitReplay),
  owner.get(`${WEBHOOKS}/:id/rotate`, showRotateSecret),
  owner.post(`${WEBHOOKS}/:id/rotate`, submitRotateSecret, { needsProof: true }),
  owner.post(`${WEBHOOKS}/:id/activate`, submitActivate),
  owner.get(`${WEBHOOKS}/:id/remove`, showRemove),
  owner.post(`${WEBHOOKS}/:id/remove`, submitRemove, { needsProof: true }),
  signedIn.get(BRAND, showBrand),
  editor.post(BRAND, submitLook),
  editor.post(`${BRAND}/logos`, submitLogos, { uploads: ['logo', 'logo_dark'] }),
]
