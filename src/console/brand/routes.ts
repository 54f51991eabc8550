/** The brand's part of the console's table of contents. */

import { BRAND } from '../page/addresses.ts'
import type { ConsoleRoute } from '../page/route.ts'
import { showBrand, submitLogos, submitLook } from './brand.ts'

export const BRAND_ROUTES: readonly ConsoleRoute[] = [
  { method: 'GET', path: BRAND, access: 'signed_in', handle: showBrand },
  { method: 'POST', path: BRAND, access: 'editor', handle: submitLook },
  {
    method: 'POST',
    path: `${BRAND}/logos`,
    access: 'editor',
    handle: submitLogos,
    uploads: ['logo', 'logo_dark'],
  },
]
