/** A complete passport with each kind of field, with invented names and GS1's example numbers. */
import type { Body } from './arbitrary.ts'

/** Freezes a value, so that code which changes its input throws. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

export const T_SHIRT: Body = freeze({
  productName: 'Crew neck T-shirt',
  sku: 'TS-204-NAVY',
  brandName: 'Lindwerk',
  gtin: '9506000134352',
  commodityCode: '61091000',
  economicOperator: {
    role: 'manufacturer',
    legalName: 'Lindwerk Textil GmbH',
    address: 'Weberstraße 12\n01099 Dresden',
    country: 'DE',
    contactEmail: 'service@lindwerk.example',
    operatorId: '9506000134352',
    eori: 'DE123456789012345',
  },
  languages: ['en', 'de'],
  fiberComposition: [
    { fiber: 'cotton', percentage: 66.7 },
    { fiber: 'polyester', percentage: 30.3 },
    { fiber: 'elastane', percentage: 3 },
  ],
  recycledContentPercentage: 20,
  countryOfManufacture: 'PT',
  supplyChainStages: [
    { stage: 'spinning', country: 'TR', facilityName: 'Iplik Works', facilityId: '9506000134352' },
    { stage: 'knitting', country: 'PT' },
    { stage: 'assembly', country: 'PT', facilityName: 'Costura Norte' },
  ],
  careInstructions: { en: 'Wash at 30 degrees.', de: 'Bei 30 Grad waschen.' },
  repair: {
    repairable: true,
    sparePartsAvailable: false,
    instructions: { en: 'Seams can be sewn again.', de: 'Nähte lassen sich nachnähen.' },
  },
  substancesOfConcern: [{ name: 'Formaldehyde', casNumber: '50-00-0', concentrationRange: '<0.1 %' }],
  durability: { testResults: 'ISO 12945-2: grade 4', pefScore: 3.1 },
  carbonFootprint: 4.2,
  waterFootprint: 2700,
  weightGrams: 180,
  endOfLife: {
    recyclingInstructions: { en: 'Bring it to a textile bank.', de: 'In den Altkleidercontainer geben.' },
    disposalInstructions: { en: 'Household waste.', de: 'Restmüll.' },
  },
  complianceDocuments: [
    { type: 'declaration_of_conformity', url: 'https://docs.lindwerk.example/ts-204.pdf' },
  ],
})
