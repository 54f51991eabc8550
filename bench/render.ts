/**
 * `render`: CPU time of a first, uncached rendering: from the row to HTML, QR symbol and entity tag. The
 * limit is 1 ms.
 */
import { NO_BRAND } from '../src/accounts/brand/brand.ts'
import { DEMO_PASSPORTS } from '../src/cli/demo/demo-data.ts'
import { LANGUAGES } from '../src/i18n/catalogue.ts'
import { newUuid } from '../src/kernel/crypto/ids.ts'
import { getQrAddress } from '../src/passports/core/record.ts'
import type { PublicPassportRow } from '../src/passports/read/find.ts'
import { renderQrSvg } from '../src/qr/svg.ts'
import { prepareResponse } from '../src/site/http/prepared-response.ts'
import { renderPassportPage } from '../src/site/page/passport-page.ts'
import { buildPassportView } from '../src/site/page/passport-view.ts'
import { ALTERNATE_FORMATS } from '../src/site/passport/formats.ts'
import type { Bench } from './environment.ts'
import { median, ROUNDS } from './environment.ts'

const ADDRESSES = { publicUrl: 'https://passports.example', apiUrl: 'https://passports.example/api/v1' }
const BRAND = { ...NO_BRAND, version: 1, name: 'Bench', accent: '#0f6b5c' }
const LIMIT_MS = 1
const A_ROUND = 1_000
const MADE_AT = Date.UTC(2026, 10, 1)

export const renderRows: Bench = async () => {
  const rounds = Array.from({ length: ROUNDS + 1 }, (_, round) => cpuOf(rowsOf(round)))
  // The first round includes compilation.
  const ours = median(rounds.slice(1))
  return [
    { row: 'render', ours, limit: LIMIT_MS, ratio: ours / LIMIT_MS, unit: 'ms of CPU, a page no cache has' },
  ]
}

/** The demo's passports repeated, each time with a new id, so that no cache helps. */
function rowsOf(round: number): PublicPassportRow[] {
  return Array.from({ length: A_ROUND }, (_, i) => {
    const id = newUuid(MADE_AT + round * A_ROUND + i)
    const { category = '', data = {} } = DEMO_PASSPORTS[i % DEMO_PASSPORTS.length] ?? {}
    const gtin = typeof data.gtin === 'string' ? data.gtin : null
    const row = {
      id,
      category,
      gtin,
      data: JSON.stringify(data),
      model_id: id,
      parent_id: null,
      account_id: 1,
    }
    const state = {
      version_no: 1,
      created_by: 1,
      schema_version: 1,
      level: 'm',
      status: 'a',
      outdated: false,
    } as const
    return {
      ...row,
      ...state,
      lot: null,
      serial: null,
      updated_at: new Date(MADE_AT),
      unit_fields: null,
      batch_fields: null,
      indexable: true,
      audience_profile: 'contract',
      withdrawn_files: 0,
      model_gtin: null,
      batch_gtin: null,
      dpp_id: null,
      model_dpp_id: null,
      batch_dpp_id: null,
      corrections: null,
      recalls: null,
      recall_state: null,
      life: null,
      life_state: null,
      shard: null,
    }
  })
}

/** Milliseconds of CPU time per page. */
function cpuOf(rows: readonly PublicPassportRow[]): number {
  const before = process.cpuUsage()
  for (const [i, row] of rows.entries()) render(row, i)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / rows.length
}

function render(row: PublicPassportRow, i: number): void {
  const language = LANGUAGES[i % LANGUAGES.length]?.code ?? 'en'
  const history = { versions: [{ versionNo: 1, kind: 'first' as const, at: new Date(MADE_AT) }], total: 1 }
  const reading = buildPassportView(ADDRESSES, row, history, 'public')
  const { svg } = renderQrSvg(getQrAddress(ADDRESSES, row, 'passport'), { level: 'M', isInline: true })
  const { html: body } = renderPassportPage(reading, language, {
    qr: svg,
    brand: BRAND,
    alternates: ALTERNATE_FORMATS,
  })
  prepareResponse({ body, etagPrefix: reading.id, headers: {} })
}
