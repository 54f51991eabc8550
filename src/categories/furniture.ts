/** Furniture for homes and workplaces. */
import { type Category, END_OF_LIFE } from './field.ts'
import { FURNITURE_SINCE_2 } from './furniture-since-2.ts'
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

export const furniture: Category = {
  id: 'furniture',
  title: 'Furniture',
  schemaVersion: 2,
  sections: [
    { anchor: 'materials', title: 'section.materials' },
    { anchor: 'dimensions', title: 'section.dimensions' },
    { anchor: 'care', title: 'section.care' },
    { anchor: 'assembly', title: 'section.assembly' },
    { anchor: 'repair', title: 'section.repairAndParts' },
    { anchor: 'wood', title: 'section.wood' },
    { anchor: 'substances', title: 'section.substancesAndFlame' },
    { anchor: 'packaging', title: 'section.packaging' },
    { anchor: 'warranty', title: 'section.warranty' },
    END_OF_LIFE,
    { anchor: 'carbon-footprint', title: 'section.carbonFootprint' },
  ],
  fields: [
    {
      name: 'materialComposition',
      ...COMPOSITION,
      section: 'materials',
      nodeClass: 'MaterialShare',
      description:
        'The materials of the product and their shares of its weight, together exactly 100 percent.',
      of: [
        {
          name: 'material',
          type: 'name',
          description: 'The material.',
          required: true,
          open: true,
          values: [
            ...['wood', 'engineeredWood', 'metal', 'plastic', 'glass', 'textile', 'foam'],
            ...['leather', 'bamboo', 'rattan', 'cork', 'stone', 'ceramic', 'concrete'],
            ...['rubber', 'paper', 'other'],
          ],
        },
        {
          name: 'percentage',
          ...SHARE,
          description: 'Share of the material in percent of weight.',
          required: true,
        },
      ],
    },
    {
      name: 'woodCertification',
      type: 'object',
      section: 'wood',
      description: 'Certification of the wood in the product.',
      fields: [
        {
          name: 'scheme',
          type: 'name',
          description: 'Certification scheme.',
          values: ['fsc', 'pefc', 'none'],
        },
        {
          name: 'country',
          type: 'name',
          description: 'Country the wood comes from, ISO 3166-1 alpha-2 in capitals.',
          format: 'country',
        },
      ],
    },
    {
      name: 'dimensions',
      type: 'object',
      section: 'dimensions',
      shape: 'dimensions',
      description: 'Outer dimensions and weight of the assembled product.',
      fields: [
        {
          name: 'width',
          ...AMOUNT,
          shape: 'quantity',
          description: 'Width, in centimetres.',
          unit: 'cm',
          term: 'schema:width',
        },
        {
          name: 'depth',
          ...AMOUNT,
          shape: 'quantity',
          description: 'Depth, in centimetres.',
          unit: 'cm',
          term: 'schema:depth',
        },
        {
          name: 'height',
          ...AMOUNT,
          shape: 'quantity',
          description: 'Height, in centimetres.',
          unit: 'cm',
          term: 'schema:height',
        },
        {
          name: 'weightKg',
          ...AMOUNT,
          shape: 'quantity',
          description: 'Weight, in kilograms.',
          unit: 'kg',
          term: 'schema:weight',
        },
      ],
    },
    { ...COUNTRY_OF_MANUFACTURE, section: 'materials' },
    {
      ...CARE_INSTRUCTIONS,
      description: 'How to clean and care for the product.',
    },
    {
      name: 'assemblyInstructions',
      type: 'text',
      section: 'assembly',
      description: 'How to assemble the product, as text or as a link.',
      localized: true,
    },
    buildRepair('Whether spare parts are available.', [
      {
        name: 'sparePartsUrl',
        type: 'name',
        description: 'Address where spare parts can be ordered, http or https.',
        format: 'url',
      },
    ]),
    {
      name: 'warrantyMonths',
      ...AMOUNT,
      section: 'warranty',
      description: 'Length of the warranty, in months.',
      unit: 'months',
    },
    buildSubstancesOfConcern([
      { name: 'note', type: 'text', description: 'Where the substance is, or what to be careful about.' },
      CONCENTRATION_RANGE,
    ]),
    {
      name: 'flameRetardants',
      type: 'name',
      section: 'substances',
      description: 'Whether the product contains flame retardants.',
      values: ['present', 'absent', 'unknown'],
    },
    {
      name: 'packaging',
      type: 'name',
      section: 'packaging',
      description: 'Whether the packaging can be recycled.',
      values: ['recyclable', 'partiallyRecyclable', 'notRecyclable'],
    },
    ...FURNITURE_SINCE_2,
  ],
}
