/** The fields that every category has. */
import LISTED from '../../assets/listed-values.json' with { type: 'json' }
import { AUTHORITY, type Field, PROTECTED } from './field.ts'
import { DOCUMENT_DETAILS, DOCUMENT_FILE, DOCUMENTS, PICTURES, SHARED_SINCE_2 } from './shared-since-2.ts'

const country: Field = {
  name: 'country',
  type: 'name',
  description: 'Country, ISO 3166-1 alpha-2 in capitals.',
  required: true,
  format: 'country',
}

/** Shown before a category's own fields. */
export const SHARED_HEAD: readonly Field[] = [
  {
    name: 'productName',
    type: 'name',
    section: 'head',
    description: 'Name of the product as customers know it.',
    required: true,
    term: 'schema:name',
  },
  {
    name: 'sku',
    type: 'name',
    section: 'head',
    description: 'Your own article number; need not be unique.',
    required: true,
    term: 'schema:sku',
  },
  {
    name: 'brandName',
    type: 'name',
    section: 'head',
    shape: 'brand',
    description: 'Brand under which the product is sold.',
    required: true,
    term: 'schema:brand',
  },
  {
    name: 'gtin',
    type: 'name',
    section: 'head',
    shape: 'envelope',
    description: 'GTIN-8, GTIN-12, GTIN-13 or GTIN-14, digits only, with its check digit.',
    format: 'gtin',
    term: 'schema:gtin',
  },
  {
    name: 'commodityCode',
    type: 'name',
    section: 'head',
    description: 'Customs commodity code: HS (6 digits) or CN (8 digits), without spaces.',
    format: 'cn_or_hs',
  },
  {
    name: 'economicOperator',
    type: 'object',
    section: 'operator',
    shape: 'organization',
    description: 'The company that is responsible for the product on the EU market.',
    required: true,
    fields: [
      {
        name: 'role',
        type: 'name',
        shape: 'operator_role',
        description: 'Role of the company in the supply of the product.',
        required: true,
        values: [
          'manufacturer',
          'importer',
          'authorized_representative',
          'distributor',
          'dealer',
          'fulfilment_service_provider',
        ],
        term: 'dpp:operatorRole',
      },
      {
        name: 'legalName',
        type: 'name',
        description: 'Registered name of the company.',
        required: true,
        term: 'schema:legalName',
      },
      {
        name: 'address',
        type: 'name',
        shape: 'street_address',
        description: 'Postal address of the company; may have several lines.',
        required: true,
        lines: true,
        term: 'schema:address',
      },
      { ...country, description: 'Country of the company, ISO 3166-1 alpha-2 in capitals.' },
      {
        name: 'contactEmail',
        type: 'name',
        description: 'E-mail address for questions about the product; everyone can read it.',
        required: true,
        format: 'email',
        term: 'schema:email',
      },
      {
        name: 'operatorId',
        type: 'name',
        description: 'Global Location Number (GLN) of the company, 13 digits with its check digit.',
        format: 'gln',
        term: 'schema:globalLocationNumber',
      },
      {
        name: 'eori',
        type: 'name',
        description: 'EORI number of the company: two letters, then 1 to 15 characters.',
        format: 'eori',
        audience: AUTHORITY,
      },
      {
        name: 'registryId',
        type: 'object',
        description: 'Identifier under which the EU registry knows the operator.',
        fields: [
          {
            name: 'scheme',
            type: 'name',
            description: 'Kind of identifier.',
            required: true,
            values: ['lei', 'vat', 'ntr', 'eid'],
          },
          { name: 'value', type: 'name', description: 'The identifier.', required: true },
        ],
      },
    ],
  },
  {
    name: 'languages',
    type: 'list',
    section: 'head',
    shape: 'envelope',
    description: 'BCP-47 codes of the languages the texts are in; the first is the primary language.',
    required: true,
    maxItems: 100,
    of: [
      {
        name: '',
        type: 'name',
        description: 'BCP-47 language code such as en or pt-BR.',
        format: 'language',
      },
    ],
  },
]

/** Shown after a category's own fields. */
export const SHARED_TAIL: readonly Field[] = [
  {
    name: 'endOfLife',
    type: 'object',
    section: 'end-of-life',
    description: 'What to do with the product when it is no longer used.',
    required: true,
    fields: [
      {
        name: 'recyclingInstructions',
        type: 'text',
        fact: 'endOfLife',
        description: 'How the product is recycled.',
        required: true,
        localized: true,
      },
      {
        name: 'disposalInstructions',
        type: 'text',
        description: 'How the product is disposed of where it cannot be recycled.',
        required: true,
        localized: true,
      },
    ],
  },
  {
    name: 'complianceDocuments',
    type: 'list',
    section: 'documents',
    figure: 'documents',
    shape: 'documents',
    description: 'Links to documents that show that the product complies.',
    maxItems: 100,
    needsOneOf: ['media', 'url'],
    of: [
      {
        name: 'type',
        type: 'name',
        description: 'Kind of document, for example declaration_of_conformity or test_report.',
        required: true,
        term: 'dpp:documentType',
      },
      {
        name: 'url',
        type: 'name',
        description: 'Address of the document, http or https. With media, its address here if left out.',
        format: 'url',
        term: 'schema:url',
      },
      ...DOCUMENT_DETAILS,
      DOCUMENT_FILE,
    ],
  },
  DOCUMENTS,
  PICTURES,
  ...SHARED_SINCE_2,
]

export const SHARED_FIELDS: readonly Field[] = [...SHARED_HEAD, ...SHARED_TAIL]

/** Not in every category, but the same wherever it is used. */
export const COUNTRY_OF_MANUFACTURE: Field = {
  ...country,
  name: 'countryOfManufacture',
  fact: 'madeWhere',
  shape: 'country_of_origin',
  description: 'Country where the product was made, ISO 3166-1 alpha-2 in capitals.',
}

/** An amount: never negative. */
export const AMOUNT = { type: 'number', min: 0 } as const
export const SHARE = { ...AMOUNT, unit: '%', max: 100 } as const

export const SUBSTANCE_NAME: Field = {
  name: 'name',
  type: 'name',
  description: 'Name of the substance.',
  required: true,
}
export const CAS_NUMBER: Field = {
  name: 'casNumber',
  type: 'name',
  description: 'CAS Registry Number with hyphens and check digit, for example 50-00-0.',
  format: 'cas',
}

export const CONCENTRATION_RANGE: Field = {
  name: 'concentrationRange',
  type: 'name',
  description: 'Concentration as a range in words, for example 0.1-0.3 %.',
}
export const EC_NUMBER: Field = {
  name: 'ecNumber',
  type: 'name',
  description: 'EC number with hyphens and check digit, for example 231-111-4.',
  format: 'ec_number',
}

/** `more`: what the entries also say in this category. */
export const buildSubstancesOfConcern = (more: readonly Field[]): Field => ({
  name: 'substancesOfConcern',
  type: 'list',
  section: 'substances',
  nodeClass: 'SubstanceOfConcern',
  description: 'Substances of concern in the product.',
  emptyMeansNone: true,
  maxItems: 500,
  of: [
    SUBSTANCE_NAME,
    CAS_NUMBER,
    ...more,
    { name: 'iupacName', type: 'name', description: 'Name of the substance in the IUPAC nomenclature.' },
    EC_NUMBER,
    {
      name: 'hazardClass',
      type: 'name',
      description: 'The class that makes it a substance of concern.',
      values: LISTED.hazardClasses,
      open: true,
    },
    { name: 'location', type: 'name', description: 'Where in the product it is.', audience: PROTECTED },
    {
      name: 'safeUse',
      type: 'text',
      description: 'How the product is used safely although the substance is in it.',
      localized: true,
    },
    {
      name: 'scipNumber',
      type: 'name',
      description: 'Number of the SCIP notification.',
      audience: PROTECTED,
    },
  ],
})

export const CARE_INSTRUCTIONS = {
  name: 'careInstructions',
  type: 'text',
  section: 'care',
  required: true,
  localized: true,
} as const

/** The materials and their shares of the weight. */
export const COMPOSITION = {
  type: 'list',
  figure: 'composition',
  fact: 'madeOf',
  shape: 'materials',
  required: true,
  maxItems: 100,
  sumsTo100: 'percentage',
} as const

/** `sparePartsHint` describes the field; `more` follows the shared members. */
export const buildRepair = (sparePartsHint: string, more: readonly Field[] = []): Field => ({
  name: 'repair',
  type: 'object',
  section: 'repair',
  description: 'Whether and how the product can be repaired.',
  required: true,
  fields: [
    {
      name: 'repairable',
      type: 'boolean',
      fact: 'repairable',
      description: 'Whether the product can be repaired.',
      required: true,
    },
    {
      name: 'sparePartsAvailable',
      type: 'boolean',
      fact: 'spareParts',
      description: sparePartsHint,
      required: true,
    },
    {
      name: 'instructions',
      type: 'text',
      description: 'How to repair the product, or where.',
      localized: true,
    },
    ...more,
    {
      name: 'sparePartsYears',
      ...AMOUNT,
      unit: 'years',
      description: 'Years for which spare parts can be had.',
    },
  ],
})

/** Not in every category, but the same wherever it is used. */
export const MANUFACTURING_DATE: Field = {
  name: 'manufacturingDate',
  type: 'name',
  since: 2,
  description: 'When the product was made: YYYY, YYYY-MM or YYYY-MM-DD.',
  format: 'partial_date',
  term: 'schema:productionDate',
}
export const RECYCLABILITY: Field = {
  name: 'recyclability',
  type: 'object',
  since: 2,
  section: 'end-of-life',
  description: 'How well the product can be recycled.',
  fields: [
    {
      name: 'score',
      type: 'number',
      min: 0,
      max: 10,
      description: 'Score of the act or method that applies, 0 to 10.',
    },
    {
      name: 'share',
      ...SHARE,
      description: 'Share of the product that is recycled in practice, by weight, in percent.',
    },
    { name: 'method', type: 'name', description: 'Method and its version.' },
    {
      name: 'disruptors',
      type: 'text',
      description: 'What hampers recycling, for example coatings, sequins, elastane.',
      localized: true,
    },
  ],
}
