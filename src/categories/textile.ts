/** Clothing and household textiles. */
import { type Category, END_OF_LIFE, PROTECTED } from './field.ts'
import {
  AMOUNT,
  buildRepair,
  buildSubstancesOfConcern,
  CARE_INSTRUCTIONS,
  COMPOSITION,
  CONCENTRATION_RANGE,
  COUNTRY_OF_MANUFACTURE,
  SHARE,
} from './shared.ts'
import { FOOTPRINT_COMPARISON } from './shared-since-2.ts'
import { TEXTILE_SINCE_2 } from './textile-since-2.ts'

export const textile: Category = {
  id: 'textile',
  title: 'Textile',
  schemaVersion: 2,
  sections: [
    { anchor: 'fibres', title: 'section.fibres' },
    { anchor: 'care', title: 'section.care' },
    { anchor: 'repair', title: 'section.repair' },
    END_OF_LIFE,
    { anchor: 'supply-chain', title: 'section.supplyChain' },
    { anchor: 'environment', title: 'section.environment' },
    { anchor: 'substances', title: 'section.substances' },
    { anchor: 'durability', title: 'section.durability' },
  ],
  fields: [
    {
      name: 'fiberComposition',
      ...COMPOSITION,
      section: 'fibres',
      nodeClass: 'FiberShare',
      description: 'The fibres of the product and their shares of its weight, together exactly 100 percent.',
      of: [
        {
          name: 'fiber',
          type: 'name',
          description: 'Name of the fibre, for example cotton.',
          required: true,
          dictionary: 'fibres',
        },
        {
          name: 'percentage',
          ...SHARE,
          description: 'Share of the fibre in percent of weight.',
          required: true,
        },
      ],
    },
    {
      name: 'recycledContentPercentage',
      ...SHARE,
      section: 'fibres',
      description: 'Share of recycled material in percent of weight.',
    },
    { ...COUNTRY_OF_MANUFACTURE, section: 'supply-chain', sectionOrder: 1 },
    {
      name: 'supplyChainStages',
      type: 'list',
      section: 'supply-chain',
      figure: 'chain',
      nodeClass: 'SupplyChainStage',
      description: 'The steps of making the product and the country of each.',
      maxItems: 100,
      of: [
        {
          name: 'stage',
          type: 'name',
          description: 'Step of production.',
          required: true,
          values: ['spinning', 'weaving', 'knitting', 'dyeing', 'finishing', 'assembly'],
        },
        {
          name: 'country',
          type: 'name',
          description: 'Country of this step, ISO 3166-1 alpha-2 in capitals.',
          required: true,
          format: 'country',
        },
        {
          name: 'facilityName',
          type: 'name',
          description: 'Name of the facility.',
          audience: PROTECTED,
        },
        {
          name: 'facilityId',
          type: 'name',
          description: 'Global Location Number (GLN) of the facility, 13 digits with its check digit.',
          format: 'gln',
          audience: PROTECTED,
        },
      ],
    },
    {
      ...CARE_INSTRUCTIONS,
      description: 'How to wash, dry, iron and store the product.',
    },
    buildRepair('Whether spare parts such as buttons and zips are available.'),
    buildSubstancesOfConcern([CONCENTRATION_RANGE]),
    {
      name: 'durability',
      type: 'object',
      section: 'durability',
      description: 'What is known about how long the product lasts.',
      fields: [
        {
          name: 'testResults',
          type: 'text',
          description: 'Results of durability tests, with the standard they follow.',
        },
        {
          name: 'pefScore',
          ...AMOUNT,
          description: 'Single score of the Product Environmental Footprint (PEF), in points.',
        },
      ],
    },
    {
      name: 'carbonFootprint',
      ...AMOUNT,
      section: 'environment',
      shape: 'quantity',
      description: 'Carbon footprint of one product over its life, in kg CO2e.',
      unit: 'kg CO2e',
    },
    { ...FOOTPRINT_COMPARISON, section: 'environment' },
    {
      name: 'waterFootprint',
      ...AMOUNT,
      section: 'environment',
      shape: 'quantity',
      description: 'Water used for one product over its life, in litres.',
      unit: 'l',
    },
    {
      name: 'weightGrams',
      ...AMOUNT,
      section: 'fibres',
      shape: 'quantity',
      description: 'Weight of one product, in grams.',
      unit: 'g',
      term: 'schema:weight',
    },
    ...TEXTILE_SINCE_2,
  ],
}
