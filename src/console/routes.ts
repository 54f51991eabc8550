/** The console's table of contents. */
import { BRAND_ROUTES } from './brand/routes.ts'
import { DEVELOPER_ROUTES } from './developer/routes.ts'
import { showHome, submitAccount } from './home.ts'
import { KEY_ROUTES } from './keys/routes.ts'
import { HOME } from './page/addresses.ts'
import type { ConsoleRoute } from './page/route.ts'
import { showProduct, submitProductStatus } from './products/detail.ts'
import { showEdit, submitEdit } from './products/edit.ts'
import { showProducts, submitListStatus } from './products/list.ts'
import { showNew, submitNew } from './products/new.ts'
import { showVersion, submitRevert } from './products/versions.ts'
import { SCAN_ROUTES } from './scans/routes.ts'
import { SETTINGS_ROUTES } from './settings/routes.ts'
import { SIGN_IN_ROUTES } from './sign-in/routes.ts'
import { submitSheetChoice } from './spreadsheets/choose-sheet.ts'
import { submitColumns } from './spreadsheets/columns.ts'
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

/** A form with a whole passport in it. */
export const MAX_DATA_BYTES = 1024 * 1024

/** All pages of the console. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: HOME, access: 'signed_in', handle: showHome },
  ...SIGN_IN_ROUTES,
  { method: 'POST', path: '/console/account', access: 'signed_in', handle: submitAccount },
  { method: 'GET', path: '/console/products', access: 'signed_in', handle: showProducts },
  {
    method: 'POST',
    path: '/console/products',
    access: 'editor',
    handle: submitNew,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'POST', path: '/console/products/status', access: 'editor', handle: submitListStatus },
  { method: 'GET', path: '/console/products/new', access: 'editor', handle: showNew },
  { method: 'GET', path: '/console/products/:id', access: 'signed_in', handle: showProduct },
  {
    method: 'POST',
    path: '/console/products/:id',
    access: 'editor',
    handle: submitEdit,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'GET', path: '/console/products/:id/edit', access: 'editor', handle: showEdit },
  { method: 'POST', path: '/console/products/:id/status', access: 'editor', handle: submitProductStatus },
  { method: 'POST', path: '/console/products/:id/refresh', access: 'editor', handle: submitRefresh },
  { method: 'POST', path: '/console/products/:id/units', access: 'editor', handle: submitIssue },
  { method: 'GET', path: '/console/products/:id/units/new', access: 'editor', handle: showIssue },
  { method: 'GET', path: '/console/products/:id/code.png', access: 'signed_in', handle: sendCode },
  { method: 'GET', path: '/console/products/:id/labels', access: 'signed_in', handle: showLabels },
  {
    method: 'GET',
    path: '/console/products/:id/labels/file',
    access: 'signed_in',
    cost: 'download',
    handle: sendLabels,
  },
  { method: 'GET', path: '/console/products/:id/versions/:n', access: 'signed_in', handle: showVersion },
  {
    method: 'POST',
    path: '/console/products/:id/versions/:n/revert',
    access: 'editor',
    handle: submitRevert,
  },
  { method: 'GET', path: '/console/import', access: 'signed_in', handle: showImport },
  { method: 'POST', path: '/console/import', access: 'editor', handle: submitSpreadsheet, takesFile: true },
  { method: 'GET', path: '/console/import/template', access: 'signed_in', handle: sendTemplate },
  { method: 'GET', path: '/console/import/:id', access: 'editor', handle: showImportProgress },
  {
    method: 'POST',
    path: '/console/import/:id/columns',
    access: 'editor',
    handle: submitColumns,
    bodyLimit: MAX_DATA_BYTES,
  },
  { method: 'POST', path: '/console/import/:id/sheet', access: 'editor', handle: submitSheetChoice },
  { method: 'POST', path: '/console/import/:id/run', access: 'editor', handle: submitRun },
  { method: 'POST', path: '/console/import/:id/stop', access: 'editor', handle: submitStop },
  { method: 'POST', path: '/console/import/:id/discard', access: 'editor', handle: submitDiscard },
  {
    method: 'GET',
    path: '/console/import/:id/errors',
    access: 'editor',
    cost: 'download',
    handle: sendErrors,
  },
  { method: 'GET', path: '/console/export', access: 'signed_in', handle: showExport },
  { method: 'GET', path: '/console/export/file', access: 'signed_in', cost: 'download', handle: sendExport },
  ...SCAN_ROUTES,
  ...KEY_ROUTES,
  ...SETTINGS_ROUTES,
  ...DEVELOPER_ROUTES,
  ...BRAND_ROUTES,
]
