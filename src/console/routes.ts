/** The console's pages: who may see each, and its handler. Only owners see and create secrets. */
import * as brand from './brand/brand.ts'
import * as story from './brand/story.ts'
import * as webhookPage from './developer/endpoint-page.ts'
import * as webhooks from './developer/endpoints.ts'
import { showDeveloper } from './developer/overview.ts'
import * as secrets from './developer/secrets.ts'
import * as draftFiles from './drafts/files.ts'
import { showDraftForm, submitDraftForm } from './drafts/form.ts'
import { showDrafts } from './drafts/list.ts'
import { showDiscardDraft, showDraft, submitDiscardDraft, submitPublish } from './drafts/page.ts'
import { showHome, submitAccount } from './home.ts'
import * as keys from './keys/keys.ts'
import * as files from './media/file-page.ts'
import { showLibrary, submitFiles } from './media/library.ts'
import { showWithdrawal, submitWithdrawal } from './media/withdrawal.ts'
import { OFFER_ROUTES } from './offers/offers.ts'
import {
  ALL_DATA,
  anyone,
  BRAND,
  BROWSER_LINK,
  type ConsoleRoute,
  DEVELOPER,
  DRAFTS,
  editor,
  FORGOTTEN,
  HOME,
  KEYS,
  MEDIA,
  operator,
  owner,
  READINESS,
  READINESS_SETTINGS,
  REGISTRY,
  SCANS,
  SETTINGS,
  SIGN_IN,
  STORY,
  signedIn,
  WEBHOOKS,
} from './page/route.ts'
import { showProduct, submitProductStatus } from './products/detail.ts'
import { showEdit, showProductFiles, submitEdit, submitProductFiles } from './products/edit.ts'
import { showProducts, submitListStatus } from './products/list.ts'
import { showNew, submitNew } from './products/new.ts'
import { showVersion, submitRevert } from './products/versions.ts'
import { sendAccountFile } from './readiness/account-file.ts'
import { showAccountReadiness } from './readiness/account-page.ts'
import { showReadiness, submitDeclaration } from './readiness/page.ts'
import { sendSupplierFile } from './readiness/supplier-file.ts'
import { showEndRecall, showRecall, submitEndRecall, submitRecall } from './recalls/page.ts'
import * as registry from './registry/registry.ts'
import { SWITCHES } from './scans/key-figures.ts'
import { showScans } from './scans/overview.ts'
import { submitSwitches } from './scans/switches.ts'
import * as links from './settings/access-links.ts'
import { showAudience, submitAudience } from './settings/audience.ts'
import { showAudit } from './settings/audit.ts'
import { showData, submitData } from './settings/data.ts'
import { showIdentity } from './settings/identity.ts'
import {
  showIdentityRequest,
  submitIdentityRequest,
  submitRequestWithdrawal,
} from './settings/identity-request.ts'
import * as settings from './settings/overview.ts'
import * as passkeys from './settings/passkeys.ts'
import { showPassword, submitPassword } from './settings/password.ts'
import * as people from './settings/people.ts'
import {
  AUDIENCE,
  AUDIT,
  IDENTITY,
  LINKS,
  PASSKEYS,
  PASSWORD,
  PEOPLE,
  REQUESTS,
  SESSIONS,
  SIGNATURES,
} from './settings/places.ts'
import { showReadinessSettings, submitReadinessSettings } from './settings/readiness.ts'
import * as sessions from './settings/sessions.ts'
import * as signatures from './settings/signatures.ts'
import * as requests from './settings/verification-requests.ts'
import * as browserLink from './sign-in/browser-link.ts'
import { CONFIRM_OPTIONS, submitConfirmOptions } from './sign-in/confirm.ts'
import { showForgotten, submitForgotten } from './sign-in/forgotten-password.ts'
import { showSetPassword, submitSetPassword } from './sign-in/set-password.ts'
import { showSetUp, submitSetUp } from './sign-in/set-up.ts'
import * as signIn from './sign-in/sign-in.ts'
import { submitColumns, submitSheetChoice } from './spreadsheets/columns.ts'
import * as downloads from './spreadsheets/downloads.ts'
import * as progress from './spreadsheets/progress.ts'
import { showImport, submitSpreadsheet } from './spreadsheets/start.ts'
import { showIssue, submitIssue } from './units/issue.ts'
import { sendCode, sendLabels, showLabels } from './units/labels.ts'
import { submitRefresh } from './units/refresh.ts'

/** The limit of a form with a whole passport. */
export const MAX_DATA_BYTES = 1024 * 1024

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  signedIn.get(HOME, showHome),
  anyone.get(SIGN_IN, signIn.showSignIn),
  anyone.post(SIGN_IN, signIn.submitSignIn),
  anyone.post('/console/sign-in/passkey', signIn.submitPasskey),
  anyone.post('/console/sign-in/passkey/options', signIn.submitPasskeyOptions),
  anyone.post(BROWSER_LINK, browserLink.submitBrowserLinkRequest),
  anyone.get(browserLink.KNOWN_BROWSER, browserLink.showKnownBrowser),
  anyone.post(browserLink.KNOWN_BROWSER, browserLink.submitKnownBrowser),
  anyone.get(FORGOTTEN, showForgotten),
  anyone.post(FORGOTTEN, submitForgotten),
  signedIn.post(CONFIRM_OPTIONS, submitConfirmOptions),
  anyone.post('/console/sign-out', signIn.submitSignOut),
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
  editor.get('/console/products/:id/media', showProductFiles),
  editor.post('/console/products/:id/media', submitProductFiles, { takesFile: true, cost: 'upload' }),
  editor.post('/console/products/:id/status', submitProductStatus),
  editor.post('/console/products/:id/refresh', submitRefresh),
  editor.post('/console/products/:id/units', submitIssue),
  editor.get('/console/products/:id/units/new', showIssue),
  signedIn.get('/console/products/:id/code.png', sendCode),
  signedIn.get('/console/products/:id/labels', showLabels),
  signedIn.get('/console/products/:id/labels/file', sendLabels, { cost: 'download' }),
  signedIn.get('/console/products/:id/readiness', showReadiness),
  editor.post('/console/products/:id/readiness', submitDeclaration),
  signedIn.get('/console/products/:id/readiness.csv', sendSupplierFile, { cost: 'download' }),
  signedIn.get('/console/products/:id/recall', showRecall),
  editor.post('/console/products/:id/recall', submitRecall, { bodyLimit: MAX_DATA_BYTES }),
  editor.get('/console/products/:id/recall/end', showEndRecall),
  editor.post('/console/products/:id/recall/end', submitEndRecall),
  signedIn.get('/console/products/:id/versions/:n', showVersion),
  editor.post('/console/products/:id/versions/:n/revert', submitRevert),
  signedIn.get(DRAFTS, showDrafts),
  signedIn.get(`${DRAFTS}/:id`, showDraft),
  editor.post(`${DRAFTS}/:id`, submitDraftForm, { bodyLimit: MAX_DATA_BYTES }),
  editor.get(`${DRAFTS}/:id/edit`, showDraftForm),
  editor.get(`${DRAFTS}/:id/media`, draftFiles.showDraftFiles),
  editor.post(`${DRAFTS}/:id/media`, draftFiles.submitDraftFiles, { bodyLimit: MAX_DATA_BYTES }),
  editor.post(`${DRAFTS}/:id/media/upload`, draftFiles.submitDraftUploads, {
    takesFile: true,
    cost: 'upload',
  }),
  editor.post(`${DRAFTS}/:id/publish`, submitPublish),
  editor.get(`${DRAFTS}/:id/discard`, showDiscardDraft),
  editor.post(`${DRAFTS}/:id/discard`, submitDiscardDraft),
  signedIn.get(MEDIA, showLibrary),
  editor.post(MEDIA, submitFiles, { takesFile: true, cost: 'upload' }),
  signedIn.get(`${MEDIA}/:id`, files.showFile),
  signedIn.get(`${MEDIA}/:id/320.webp`, files.sendSmallPicture, { cost: 'picture' }),
  signedIn.get(`${MEDIA}/:id/640.webp`, files.sendLargePicture, { cost: 'picture' }),
  signedIn.get(`${MEDIA}/:id/file`, files.sendDocument),
  editor.get(`${MEDIA}/:id/delete`, files.showDeleteFile),
  editor.post(`${MEDIA}/:id/delete`, files.submitDeleteFile),
  owner.get(`${MEDIA}/:id/withdrawal`, showWithdrawal),
  owner.post(`${MEDIA}/:id/withdrawal`, submitWithdrawal),
  signedIn.get('/console/import', showImport),
  editor.post('/console/import', submitSpreadsheet, { takesFile: true }),
  signedIn.get('/console/import/template', downloads.sendTemplate),
  editor.get('/console/import/:id', progress.showImportProgress),
  editor.post('/console/import/:id/columns', submitColumns, { bodyLimit: MAX_DATA_BYTES }),
  editor.post('/console/import/:id/sheet', submitSheetChoice),
  editor.post('/console/import/:id/run', progress.submitRun),
  editor.post('/console/import/:id/plain', progress.submitPlainTexts),
  editor.post('/console/import/:id/stop', progress.submitStop),
  editor.post('/console/import/:id/discard', progress.submitDiscard),
  editor.get('/console/import/:id/errors', progress.sendErrors, { cost: 'download' }),
  signedIn.get('/console/export', downloads.showExport),
  signedIn.get('/console/export/file', downloads.sendExport, { cost: 'download' }),
  signedIn.get(READINESS, showAccountReadiness),
  signedIn.get(`${READINESS}.csv`, sendAccountFile, { cost: 'download' }),
  signedIn.get(SCANS, showScans),
  editor.post(SWITCHES, submitSwitches),
  signedIn.get(KEYS, keys.showKeys),
  owner.post(KEYS, keys.submitKey, { needsProof: true }),
  owner.get(keys.SHOWN_KEY, keys.showKey),
  owner.get(`${KEYS}/:id/rotate`, keys.showRotate),
  owner.post(`${KEYS}/:id/rotate`, keys.submitRotate, { needsProof: true }),
  owner.get(`${KEYS}/:id/revoke`, keys.showRevoke),
  owner.post(`${KEYS}/:id/revoke`, keys.submitRevoke),
  signedIn.get(SETTINGS, settings.showSettings),
  owner.post(`${SETTINGS}/name`, settings.submitName),
  owner.post(`${SETTINGS}/indexing`, settings.submitIndexing),
  owner.get(`${SETTINGS}/close`, settings.showClose),
  owner.post(`${SETTINGS}/close`, settings.submitClose, { needsProof: true }),
  owner.get(ALL_DATA, showData),
  owner.post(ALL_DATA, submitData),
  signedIn.get(PEOPLE, people.showPeople),
  owner.post(PEOPLE, people.submitInvitation, { needsProof: true }),
  owner.get(`${PEOPLE}/:id`, people.showPerson),
  owner.post(`${PEOPLE}/:id`, people.submitRole, { needsProof: true }),
  owner.post(`${PEOPLE}/:id/invite`, people.submitInvitationAgain, { needsProof: true }),
  owner.post(`${PEOPLE}/:id/end-sessions`, people.submitEndSessionsOf, { needsProof: true }),
  owner.get(people.INVITATION_SHOWN, people.showInvitation),
  // Owners can remove anyone, others only themselves; the page checks that.
  signedIn.get(`${PEOPLE}/:id/remove`, people.showRemovePerson),
  signedIn.post(`${PEOPLE}/:id/remove`, people.submitRemovePerson, { needsProof: true }),
  signedIn.get(LINKS, links.showLinks),
  editor.post(LINKS, links.submitLink),
  editor.get(`${LINKS}/:id/revoke`, links.showRevokeLink),
  editor.post(`${LINKS}/:id/revoke`, links.submitRevokeLink),
  owner.get(AUDIENCE, showAudience),
  owner.post(AUDIENCE, submitAudience),
  owner.get(READINESS_SETTINGS, showReadinessSettings),
  owner.post(READINESS_SETTINGS, submitReadinessSettings),
  signedIn.get(IDENTITY, showIdentity),
  owner.get(`${IDENTITY}/request`, showIdentityRequest),
  owner.post(`${IDENTITY}/request`, submitIdentityRequest),
  owner.post(`${IDENTITY}/withdraw`, submitRequestWithdrawal),
  operator.get(REQUESTS, requests.showRequests),
  operator.get(`${REQUESTS}/:id`, requests.showRequest),
  operator.post(`${REQUESTS}/:id/approve`, requests.submitApproval, { needsProof: true }),
  operator.post(`${REQUESTS}/:id/decline`, requests.submitDecline),
  owner.get(SIGNATURES, signatures.showSignatures),
  owner.post(SIGNATURES, signatures.submitSignatures, { needsProof: true }),
  owner.get(`${SIGNATURES}/rotate`, signatures.showRotateSigningKey),
  owner.post(`${SIGNATURES}/rotate`, signatures.submitRotateSigningKey, { needsProof: true }),
  owner.get(`${SIGNATURES}/keys/:n/revoke`, signatures.showRevokeSigningKey),
  owner.post(`${SIGNATURES}/keys/:n/revoke`, signatures.submitRevokeSigningKey, { needsProof: true }),
  signedIn.get(REGISTRY, registry.showRegistry),
  editor.post(`${REGISTRY}/lines`, registry.submitDownload, { cost: 'download' }),
  editor.post(`${REGISTRY}/results`, registry.submitResults, { uploads: ['results'] }),
  owner.post(`${REGISTRY}/switch`, registry.submitSwitch),
  owner.post(`${REGISTRY}/copies`, registry.submitCopies),
  signedIn.get(AUDIT, showAudit),
  signedIn.get(PASSWORD, showPassword),
  signedIn.post(PASSWORD, submitPassword),
  signedIn.get(PASSKEYS, passkeys.showPasskeys),
  signedIn.post(PASSKEYS, passkeys.submitNewPasskey),
  signedIn.post(`${PASSKEYS}/made`, passkeys.submitMadePasskey),
  signedIn.get(`${PASSKEYS}/:id`, passkeys.showPasskey),
  signedIn.post(`${PASSKEYS}/:id`, passkeys.submitPasskeyName),
  signedIn.get(`${PASSKEYS}/:id/remove`, passkeys.showRemovePasskey),
  signedIn.post(`${PASSKEYS}/:id/remove`, passkeys.submitRemovePasskey, { needsProof: true }),
  signedIn.get(SESSIONS, sessions.showSessions),
  signedIn.post(`${SESSIONS}/end-others`, sessions.submitEndOthers, { needsProof: true }),
  signedIn.post(`${SESSIONS}/:id/end`, sessions.submitEndSession, { needsProof: true }),
  signedIn.get(DEVELOPER, showDeveloper),
  signedIn.get(WEBHOOKS, webhooks.showWebhooks),
  owner.post(WEBHOOKS, webhooks.submitNewWebhook, { needsProof: true }),
  owner.get(`${WEBHOOKS}/new`, webhooks.showNewWebhook),
  owner.get(secrets.SHOWN_SECRET, secrets.showSecret),
  signedIn.get(`${WEBHOOKS}/:id`, webhookPage.showWebhook),
  owner.post(`${WEBHOOKS}/:id`, webhooks.submitChange, { needsProof: true }),
  owner.get(`${WEBHOOKS}/:id/edit`, webhooks.showChange),
  editor.post(`${WEBHOOKS}/:id/state`, webhooks.submitState),
  editor.post(`${WEBHOOKS}/:id/test`, webhookPage.submitTest, { cost: 'webhook_test' }),
  editor.post(`${WEBHOOKS}/:id/resend`, webhookPage.submitResend),
  editor.post(`${WEBHOOKS}/:id/replay`, webhookPage.submitReplay),
  owner.get(`${WEBHOOKS}/:id/rotate`, secrets.showRotateSecret),
  owner.post(`${WEBHOOKS}/:id/rotate`, secrets.submitRotateSecret, { needsProof: true }),
  owner.post(`${WEBHOOKS}/:id/activate`, secrets.submitActivate),
  owner.get(`${WEBHOOKS}/:id/remove`, webhooks.showRemove),
  owner.post(`${WEBHOOKS}/:id/remove`, webhooks.submitRemove, { needsProof: true }),
  signedIn.get(BRAND, brand.showBrand),
  editor.post(BRAND, brand.submitLook),
  editor.get(STORY, story.showStory),
  editor.post(STORY, story.submitStory),
  ...OFFER_ROUTES,
  editor.post(`${BRAND}/logos`, brand.submitLogos, { uploads: ['logo', 'logo_dark'] }),
]
