/**
 * The setup for passport pages in a real browser: a listening server, an account, and passports with all
 * fields.
 */
import type { Browser } from 'playwright-core'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { openBrowser } from './chromium.ts'
import { FULL } from './passport-views.ts'

export type BrowserStand = {
  harness: Harness
  account: TestAccount
  browser: Browser
  origin: string
  /** Creates a model with every field of its category; `data` replaces some values. Returns its id. */
  make: (category: keyof typeof FULL, data?: Record<string, unknown>) => Promise<string>
  close: () => Promise<void>
}

export async function startBrowserStand(): Promise<BrowserStand> {
  const harness = await startHarness()
  const account = await harness.account({ plan: 'enterprise' })
  const origin = await harness.app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser()
  return {
    harness,
    account,
    browser,
    origin,
    async make(category, data = {}) {
      const { gtin: _, economicOperator: __, ...full } = FULL[category]
      const product = newProduct({ ...full, ...data }, category)
      const { passport } = await createPassport(account.ctx, { ...product, strict: false })
      return idFromUuid(passport.id)
    },
    async close() {
      await browser.close()
      await harness.close()
    },
  }
}
