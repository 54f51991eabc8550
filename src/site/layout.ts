/**
 * The order of the page: which fields stand under which heading, most useful first. A field that no heading names
 * still appears, after the others, so that a new one is never lost from the page.
 */
import type { CompleteCategory } from '../categories/catalogue.ts'
import type { Field } from '../categories/field.ts'
import type { Labels } from '../i18n/catalogue.ts'

type UiKey = keyof Labels['ui']

export type Section = {
  /** Fragment of the address; printed and linked to, so it never changes. */
  anchor: string
  /** Undefined: the title is the label of the one field. */
  title: UiKey | undefined
  fields: readonly Field[]
}

type Plan = readonly [anchor: string, title: UiKey, ...fields: string[]]

const END_OF_LIFE: Plan = ['end-of-life', 'section.endOfLife', 'endOfLife']

const PLANS: Readonly<Record<string, readonly Plan[]>> = {
  textile: [
    ['fibres', 'section.fibres', 'fiberComposition', 'recycledContentPercentage', 'weightGrams'],
    ['care', 'section.care', 'careInstructions'],
    ['repair', 'section.repair', 'repair'],
    END_OF_LIFE,
    ['supply-chain', 'section.supplyChain', 'supplyChainStages', 'countryOfManufacture'],
    ['environment', 'section.environment', 'carbonFootprint', 'waterFootprint'],
    ['substances', 'section.substances', 'substancesOfConcern'],
    ['durability', 'section.durability', 'durability'],
  ],
  battery: [
    ['safety', 'section.safety', 'safetyInformation'],
    [
      'performance',
      'section.performance',
      'batteryCategory',
      'ratedCapacity',
      'energyWh',
      'nominalVoltage',
      'expectedLifetimeCycles',
      'stateOfHealth',
      'weightKg',
      'manufacturingDate',
      'countryOfManufacture',
    ],
    [
      'carbon-footprint',
      'section.carbonFootprint',
      'carbonFootprint',
      'carbonFootprintClass',
      'carbonFootprintBreakdown',
      'carbonFootprintStudyUrl',
    ],
    ['materials', 'section.batteryMaterials', 'cellChemistry', 'recycledContent'],
    ['hazardous-substances', 'section.hazardousSubstances', 'hazardousSubstances'],
    END_OF_LIFE,
    ['due-diligence', 'section.dueDiligence', 'dueDiligenceUrl'],
  ],
  furniture: [
    ['materials', 'section.materials', 'materialComposition', 'countryOfManufacture'],
    ['dimensions', 'section.dimensions', 'dimensions'],
    ['care', 'section.care', 'careInstructions'],
    ['assembly', 'section.assembly', 'assemblyInstructions'],
    ['repair', 'section.repairAndParts', 'repair'],
    ['wood', 'section.wood', 'woodCertification'],
    ['substances', 'section.substancesAndFlame', 'substancesOfConcern', 'flameRetardants'],
    ['packaging', 'section.packaging', 'packaging'],
    ['warranty', 'section.warranty', 'warrantyMonths'],
    END_OF_LIFE,
  ],
}

/** After the category's own sections. */
const CLOSING: readonly Plan[] = [
  ['operator', 'section.operator', 'economicOperator'],
  ['documents', 'section.documents', 'complianceDocuments'],
]

/** Shown in the head, or among the identifiers. */
const ELSEWHERE = new Set(['productName', 'brandName', 'sku', 'gtin', 'commodityCode', 'languages'])

/** All sections of a category in their order, each with at least one field of its table. */
export function sectionsOf(category: CompleteCategory): readonly Section[] {
  const { fields } = category
  const byName = new Map(fields.map(field => [field.name, field]))
  const planned = new Set(ELSEWHERE)
  const build = ([anchor, title, ...names]: Plan): Section => {
    for (const name of names) planned.add(name)
    return { anchor, title, fields: names.flatMap(name => byName.get(name) ?? []) }
  }
  const own = (PLANS[category.id] ?? [END_OF_LIFE]).map(build)
  const closing = CLOSING.map(build)
  const rest = fields
    .filter(field => !planned.has(field.name))
    .map(field => ({ anchor: kebab(field.name), title: undefined, fields: [field] }))
  return [...own, ...rest, ...closing].filter(section => section.fields.length > 0)
}

const kebab = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
