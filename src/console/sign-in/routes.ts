/** The routes of signing in, setting up and passwords. */
import { FORGOTTEN, SIGN_IN } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import { CONFIRM_OPTIONS, submitConfirmOptions } from './confirm.ts'
import { showForgotten, submitForgotten } from './forgotten-password.ts'
import { submitPasskey, submitPasskeyOptions } from './passkey.ts'
import { showSetPassword, submitSetPassword } from './set-password.ts'
import { showSetUp, submitSetUp } from './set-up.ts'
import { showSignIn, submitSignIn, submitSignOut } from './sign-in.ts'

export const SIGN_IN_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: SIGN_IN, access: 'anyone', handle: showSignIn },
  { method: 'POST', path: SIGN_IN, access: 'anyone', handle: submitSignIn },
  { method: 'POST', path: '/console/sign-in/passkey', access: 'anyone', handle: submitPasskey },
  {
    method: 'POST',
    path: '/console/sign-in/passkey/options',
    access: 'anyone',
    handle: submitPasskeyOptions,
  },
  { method: 'GET', path: FORGOTTEN, access: 'anyone', handle: showForgotten },
  { method: 'POST', path: FORGOTTEN, access: 'anyone', handle: submitForgotten },
  { method: 'POST', path: CONFIRM_OPTIONS, access: 'signed_in', handle: submitConfirmOptions },
  { method: 'POST', path: '/console/sign-out', access: 'anyone', handle: submitSignOut },
  { method: 'GET', path: '/console/set-up', access: 'anyone', handle: showSetUp },
  { method: 'POST', path: '/console/set-up', access: 'anyone', handle: submitSetUp },
  { method: 'GET', path: '/console/set-password', access: 'anyone', handle: showSetPassword },
  { method: 'POST', path: '/console/set-password', access: 'anyone', handle: submitSetPassword },
]
