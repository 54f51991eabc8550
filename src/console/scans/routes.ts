/** The scans' part of the console's table of contents. */

import { SCANS } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import { showScans } from './overview.ts'
import { SWITCHES } from './ranges.ts'
import { submitSwitches } from './switches.ts'

export const SCAN_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: SCANS, access: 'signed_in', handle: showScans },
  { method: 'POST', path: SWITCHES, access: 'editor', handle: submitSwitches },
]
