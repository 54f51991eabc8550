/** Tests the transferred size of pages: all of the demo, in all languages. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { LEGAL_NAME } from '../../src/cli/demo/demo-account.ts'
import { DEMO_BRAND, DEMO_PASSPORTS } from '../../src/cli/demo/demo-data.ts'
import { loadDemoPassports } from '../../src/cli/demo/load-demo.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { type Harness, startHarness } from '../harness.ts'

const MOST_BYTES = 30_000
const MOST_COMPRESSED_BYTES = 8_000

let harness: Harness
let ids: string[]
before(async () => {
  harness = await startHarness()
  const { ctx } = await harness.account()
  await updateBrand(ctx, DEMO_BRAND)
  await verifyAccount(ctx, nameOnly(LEGAL_NAME), 'Operator')
  await setSigning({ ...ctx, secretCipher: harness.setup.secretCipher }, true)
  const { models, batches, items } = await loadDemoPassports(ctx, DEMO_PASSPORTS)
  ids = [...models, ...batches, ...items]
})
after(() => harness.close())

/** The size as transferred, with QR symbol, brand and signature. */
async function weigh(id: string, language: string): Promise<{ raw: number; compressed: number }> {
  const { headers, rawPayload } = await harness.app.inject({
    url: `/p/${id}?lang=${language}`,
    // A separate network for each passport, because of the limit of uncached pages.
    remoteAddress: `10.0.0.${ids.indexOf(id)}`,
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.equal(headers['content-encoding'], 'gzip')
  const page = gunzipSync(rawPayload)
  assert.match(page.toString(), new RegExp(`<html lang="${language}" dir="ltr">`))
  assert.match(page.toString(), /\/signature\?lang/)
  assert.match(page.toString(), /class="logo".*stroke-dasharray="0 1 7 /s)
  return { raw: page.length, compressed: rawPayload.length }
}

test('every page of the demo is at most 30 kB, 8 kB compressed, in every language', async () => {
  const tooHeavy: string[] = []
  for (const id of ids) {
    await Promise.all(
      LANGUAGES.map(async ({ code }) => {
        const { raw, compressed } = await weigh(id, code)
        if (raw <= MOST_BYTES && compressed <= MOST_COMPRESSED_BYTES) return
        tooHeavy.push(`${id} ${code}: ${raw} bytes, ${compressed} compressed`)
      }),
    )
  }
  assert.ok(ids.length > 50, `${ids.length} pages`)
  assert.deepEqual(tooHeavy, [])
})
