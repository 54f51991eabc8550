/** Clothing and household textiles. */
import type { Audience, Category } from './field.ts'
import { COUNTRY_OF_MANUFACTURE } from './shared.ts'

const PROTECTED: readonly Audience[] = ['legitimate_interest', 'authority']

export const textile: Category = {
  id: 'textile',
  title: 'Textile',
  schemaVersion: 1,
  fields: [
    {
      name: 'fiberComposition',
      type: 'list',
      nodeClass: 'FiberShare',
      description: 'The fibres of the product and their shares of its weight, together exactly 100 percent.',
      required: true,
      maxItems: 100,
      sumsTo100: 'percentage',
      of: [
        {
          name: 'fiber',
          type: 'name',
          description: 'Name of the fibre, for example cotton.',
          required: true,
          known: 'fibres',
        },
        {
          name: 'percentage',
          type: 'number',
          description: 'Share of the fibre in percent of weight.',
          required: true,
          unit: '%',
          min: 0,
          max: 100,
        },
      ],
    },
    {
      name: 'recycledContentPercentage',
      type: 'number',
      description: 'Share of recycled material in percent of weight.',
      unit: '%',
      min: 0,
      max: 100,
    },
    COUNTRY_OF_MANUFACTURE,
    {
      name: 'supplyChainStages',
      type: 'list',
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
      name: 'careInstructions',
      type: 'text',
      description: 'How to wash, dry, iron and keep the product.',
      required: true,
      localized: true,
    },
    {
      name: 'repair',
      type: 'object',
      description: 'Whether and how the product can be repaired.',
      required: true,
      fields: [
        {
          name: 'repairable',
          type: 'boolean',
          description: 'Whether the product can be repaired.',
          required: true,
        },
        {
          name: 'sparePartsAvailable',
          type: 'boolean',
          description: 'Whether spare parts such as buttons and zips can be had.',
          required: true,
        },
        {
          name: 'instructions',
          type: 'text',
          description: 'How to repair the product, or where.',
          localized: true,
        },
      ],
    },
    {
      name: 'substancesOfConcern',
      type: 'list',
      nodeClass: 'SubstanceOfConcern',
      description: 'Substances of concern in the product.',
      maxItems: 500,
      of: [
        { name: 'name', type: 'name', description: 'Name of the substance.', required: true },
        {
          name: 'casNumber',
          type: 'name',
          description: 'CAS Registry Number with hyphens and check digit, for example 50-00-0.',
          format: 'cas',
        },
        {
          name: 'concentrationRange',
          type: 'name',
          description: 'Concentration as a range in words, for example 0.1-0.3 %.',
        },
      ],
    },
    {
      name: 'durability',
      type: 'object',
      description: 'What is known about how long the product lasts.',
      fields: [
        {
          name: 'testResults',
          type: 'text',
          description: 'Results of durability tests, with the standard they follow.',
        },
        {
          name: 'pefScore',
          type: 'number',
          description: 'Single score of the Product Environmental Footprint (PEF), in points.',
          min: 0,
        },
      ],
    },
    {
      name: 'carbonFootprint',
      type: 'number',
      description: 'Carbon footprint of one product over its life, in kg CO2e.',
      unit: 'kg CO2e',
      min: 0,
    },
    {
      name: 'waterFootprint',
      type: 'number',
      description: 'Water used for one product over its life, in litres.',
      unit: 'l',
      min: 0,
    },
    {
      name: 'weightGrams',
      type: 'number',
      description: 'Weight of one product, in grams.',
      unit: 'g',
      min: 0,
      term: 'schema:weight',
    },
  ],
}
