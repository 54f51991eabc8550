/** Views of invented passports for rendering tests without a database. */
import type { Audience } from '../../src/categories/field.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { renderPassportPage } from '../../src/site/page/passport-page.ts'
import { buildPassportView, type PassportView } from '../../src/site/page/passport-view.ts'
import { ALTERNATE_FORMATS } from '../../src/site/passport/formats.ts'
import { ADDRESSES, CORES } from '../harness.ts'

export const MADE_AT = new Date('2026-10-03T10:00:00Z')

export const rowOf = (
  category: keyof typeof CORES,
  data: Record<string, unknown> = {},
  more: Partial<PublicPassportRow> = {},
): PublicPassportRow => {
  const id = newUuid(MADE_AT.getTime())
  const all = { ...CORES[category], ...data }
  const gtin = 'gtin' in all && typeof all.gtin === 'string' ? all.gtin : null
  return {
    id,
    account_id: 1,
    version_no: 1,
    created_by: 1,
    parent_id: null,
    model_id: id,
    schema_version: 1,
    level: 'm',
    status: 'a',
    category,
    lot: null,
    serial: null,
    updated_at: MADE_AT,
    outdated: false,
    gtin,
    data: JSON.stringify(all),
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
    ...more,
  }
}

export const read = (row: PublicPassportRow, audience: Audience = 'public'): PassportView =>
  buildPassportView(
    ADDRESSES,
    row,
    { versions: [{ versionNo: row.version_no, kind: 'first', at: MADE_AT }], total: row.version_no },
    audience,
  )

type RenderArguments = Parameters<typeof renderPassportPage>

/** The page with links to the other formats. */
export const renderPage = (
  view: PassportView,
  language: RenderArguments[1],
  options: Partial<RenderArguments[2]> = {},
): string => renderPassportPage(view, language, { qr: '', alternates: ALTERNATE_FORMATS, ...options }).html

/** Every field of each category, also optional ones. Protected values contain the word CANARY. */
export const FULL: Record<keyof typeof CORES, Record<string, unknown>> = {
  textile: {
    gtin: '9521001200370',
    commodityCode: '61091000',
    economicOperator: {
      ...(CORES.textile.economicOperator as object),
      operatorId: '9521000010000',
      eori: 'DECANARY1',
    },
    recycledContentPercentage: 12.5,
    supplyChainStages: [
      { stage: 'spinning', country: 'TR', facilityName: 'CANARY Mill', facilityId: '9521000010000' },
      { stage: 'assembly', country: 'PT' },
    ],
    substancesOfConcern: [{ name: 'Formaldehyde', casNumber: '50-00-0', concentrationRange: '< 0.1 %' }],
    durability: { testResults: 'Martindale 20,000 rubs.', pefScore: 3.2 },
    carbonFootprint: 4.1,
    waterFootprint: 1870,
    weightGrams: 228,
    complianceDocuments: [{ type: 'test_report', url: 'https://docs.example/report.pdf' }],
    unknownKey: 'CANARY free-form',
  },
  battery: {
    gtin: '9521001302593',
    energyWh: 630,
    nominalVoltage: 36,
    expectedLifetimeCycles: 1000,
    stateOfHealth: 97.123,
    carbonFootprint: 78.6,
    carbonFootprintClass: 'C',
    carbonFootprintStudyUrl: 'https://docs.example/study.pdf',
    carbonFootprintBreakdown: [
      { stage: 'raw_material', value: 47.3 },
      { stage: 'recycling', value: 3.8 },
    ],
    recycledContent: [{ material: 'cobalt', percentage: 12 }],
    hazardousSubstances: [{ name: 'Nickel', casNumber: '7440-02-0', concentrationRange: '1–5 %' }],
    safetyInformation: { en: 'Never open it.', de: 'Nie öffnen.' },
    dueDiligenceUrl: 'https://docs.example/CANARY.pdf',
  },
  furniture: {
    woodCertification: { scheme: 'fsc', country: 'LV' },
    dimensions: { width: 214, depth: 96, height: 83.5, weightKg: 72 },
    assemblyInstructions: { en: 'https://docs.example/assembly.pdf' },
    repair: {
      repairable: true,
      sparePartsAvailable: true,
      instructions: { en: 'Order the part by its code.' },
      sparePartsUrl: 'https://parts.example/sofa',
    },
    warrantyMonths: 60,
    substancesOfConcern: [{ name: 'Melamine', casNumber: '108-78-1', note: 'In the foam.' }],
    flameRetardants: 'present',
    packaging: 'recyclable',
    economicOperator: { ...(CORES.furniture.economicOperator as object), eori: 'DECANARY1' },
  },
}
