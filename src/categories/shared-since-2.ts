/** Fields of every category since the second schema version. */
import { AUTHORITY, ENTRY_AUDIENCES, type Field } from './field.ts'

/** Members of each entry of a list of documents. */
export const DOCUMENT_DETAILS: readonly Field[] = [
  { name: 'title', type: 'name', description: 'Title of the document.' },
  { name: 'number', type: 'name', description: 'Number of the document, report or certificate.' },
  { name: 'standard', type: 'name', description: 'Standard or rule it was made under.' },
  { name: 'issuedBy', type: 'name', description: 'Who issued it.' },
  {
    name: 'issuedOn',
    type: 'name',
    description: 'When it was issued: YYYY, YYYY-MM or YYYY-MM-DD.',
    format: 'partial_date',
  },
  {
    name: 'validUntil',
    type: 'name',
    description: 'Until when it is valid: YYYY, YYYY-MM or YYYY-MM-DD.',
    format: 'partial_date',
  },
  {
    name: 'sha256',
    type: 'name',
    description: 'SHA-256 of the file, 64 hexadecimal digits.',
    format: 'sha256',
  },
]

/** A document of the account. */
export const DOCUMENT_FILE: Field = {
  name: 'media',
  type: 'name',
  description: 'Id of a PDF of the account, as POST /media returns it.',
  format: 'document_id',
}

export const PICTURES: Field = {
  name: 'pictures',
  type: 'list',
  since: 2,
  section: 'head',
  shape: 'pictures',
  term: 'schema:image',
  description: 'Pictures of the product, the most telling one first.',
  maxItems: 12,
  of: [
    {
      name: 'media',
      type: 'name',
      description: 'Id of a picture of the account, as POST /media returns it.',
      required: true,
      format: 'picture_id',
    },
    {
      name: 'alt',
      type: 'name',
      description: 'What the picture shows, for readers who cannot see it.',
      required: true,
      localized: true,
    },
    {
      name: 'caption',
      type: 'name',
      description: 'A line below the picture.',
      localized: true,
      term: 'schema:caption',
    },
  ],
}

export const DOCUMENTS: Field = {
  name: 'documents',
  type: 'list',
  nodeClass: 'Document',
  since: 2,
  section: 'documents',
  figure: 'documents',
  shape: 'documents',
  description: 'Other documents. Each entry says itself who may see it.',
  maxItems: 100,
  needsOneOf: ['media', 'url'],
  audienceMember: 'access',
  of: [
    {
      name: 'title',
      type: 'name',
      description: 'Title of the document.',
      required: true,
      localized: true,
      term: 'dpp:documentTitle',
    },
    {
      name: 'type',
      type: 'name',
      description: 'Kind of document, for example manual or test_report.',
      term: 'dpp:documentType',
    },
    DOCUMENT_FILE,
    {
      name: 'url',
      type: 'name',
      description: 'Address of the document, http or https. With media, its address here if left out.',
      format: 'url',
      term: 'schema:url',
    },
    {
      name: 'language',
      type: 'name',
      description: 'BCP-47 code of the language of the document.',
      format: 'language',
    },
    {
      name: 'access',
      type: 'name',
      description:
        'Who may see this entry and its file: everyone, readers with a legitimate interest and authorities, or authorities. Default: everyone.',
      values: Object.keys(ENTRY_AUDIENCES),
    },
  ],
}

/** A comparison that makes a footprint easy to grasp. The account answers for it, not Carnet. */
export const FOOTPRINT_COMPARISON: Field = {
  name: 'footprintComparison',
  type: 'object',
  since: 2,
  figure: 'statement',
  about: 'carbonFootprint',
  description: 'A plain comparison of the carbon footprint: a statement of the account, with its source.',
  fields: [
    {
      name: 'statement',
      type: 'name',
      description: 'What the carbon footprint is compared with, in one sentence.',
      required: true,
      localized: true,
    },
    {
      name: 'source',
      type: 'name',
      description: 'Where the figures of the comparison are from: publisher, title and year.',
      required: true,
      term: 'dpp:comparisonSource',
    },
    {
      name: 'sourceUrl',
      type: 'name',
      description: 'Address of the source, http or https.',
      format: 'url',
    },
  ],
}

export const SHARED_SINCE_2: readonly Field[] = [
  {
    name: 'operators',
    type: 'list',
    nodeClass: 'Operator',
    since: 2,
    section: 'operator',
    description:
      'Other companies that answer for the product or have a part in it, beside the economic operator.',
    maxItems: 20,
    of: [
      {
        name: 'role',
        type: 'name',
        description: 'Part of the company.',
        required: true,
        values: [
          'manufacturer',
          'importer',
          'authorized_representative',
          'responsible_person',
          'distributor',
          'repairer',
          'recycler',
          'waste_operator',
          'backup_provider',
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
        description: 'Postal address; may have several lines.',
        lines: true,
        term: 'schema:address',
      },
      {
        name: 'country',
        type: 'name',
        description: 'Country, ISO 3166-1 alpha-2 in capitals.',
        format: 'country',
      },
      { name: 'email', type: 'name', description: 'E-mail address.', format: 'email', term: 'schema:email' },
      {
        name: 'website',
        type: 'name',
        description: 'Web address of the company, http or https.',
        format: 'url',
      },
      {
        name: 'operatorId',
        type: 'name',
        description: 'Global Location Number (GLN), 13 digits with its check digit.',
        format: 'gln',
        term: 'schema:globalLocationNumber',
      },
      {
        name: 'otherId',
        type: 'name',
        description:
          'Identifier under another scheme, written scheme:value, for example lei:5493001KJTIIGC8Y1R12.',
      },
      { name: 'eori', type: 'name', description: 'EORI number.', format: 'eori', audience: AUTHORITY },
    ],
  },
  {
    name: 'manufacturingFacility',
    type: 'object',
    since: 2,
    section: 'operator',
    description: 'The plant where the product was made.',
    fields: [
      {
        name: 'facilityId',
        type: 'name',
        description: 'Global Location Number (GLN) of the plant.',
        format: 'gln',
      },
      {
        name: 'otherId',
        type: 'name',
        description: 'Identifier under another scheme, written scheme:value.',
      },
      { name: 'name', type: 'name', description: 'Name of the plant.' },
      { name: 'locality', type: 'name', description: 'Town or region of the plant.' },
      {
        name: 'address',
        type: 'name',
        description: 'Postal address of the plant.',
        lines: true,
        term: 'schema:address',
      },
      {
        name: 'country',
        type: 'name',
        description: 'Country, ISO 3166-1 alpha-2 in capitals.',
        format: 'country',
      },
    ],
  },
  {
    name: 'placedOnMarketDate',
    type: 'name',
    since: 2,
    section: 'operator',
    description: 'When this product was first placed on the Union market: YYYY, YYYY-MM or YYYY-MM-DD.',
    format: 'partial_date',
  },
  {
    name: 'userInstructions',
    type: 'text',
    since: 2,
    description: 'Instructions for use and warnings, as text or as a link.',
    localized: true,
  },
  {
    name: 'authorityDocuments',
    type: 'list',
    since: 2,
    section: 'documents',
    nodeClass: 'AuthorityDocument',
    description:
      'Documents for authorities alone: test reports, technical documentation, certificates, due diligence evidence.',
    audience: AUTHORITY,
    maxItems: 100,
    of: [
      {
        name: 'type',
        type: 'name',
        description: 'Kind of document, for example test_report or risk_assessment.',
        required: true,
        term: 'dpp:documentType',
      },
      { name: 'result', type: 'text', description: 'What was found, in a few words.' },
      {
        name: 'url',
        type: 'name',
        description: 'Address of the document, http or https.',
        format: 'url',
        term: 'schema:url',
      },
      ...DOCUMENT_DETAILS,
      DOCUMENT_FILE,
    ],
  },
  {
    name: 'eprRegistrations',
    type: 'list',
    nodeClass: 'EprRegistration',
    since: 2,
    section: 'operator',
    description: 'Registrations under extended producer responsibility.',
    maxItems: 50,
    of: [
      {
        name: 'country',
        type: 'name',
        description: 'Country, ISO 3166-1 alpha-2 in capitals.',
        required: true,
        format: 'country',
      },
      { name: 'scheme', type: 'name', description: 'Producer responsibility organisation.' },
      { name: 'number', type: 'name', description: 'Registration number.', required: true },
      {
        name: 'validUntil',
        type: 'name',
        description: 'Until when it is valid: YYYY, YYYY-MM or YYYY-MM-DD.',
        format: 'partial_date',
      },
    ],
  },
  {
    name: 'predecessors',
    type: 'list',
    nodeClass: 'Predecessor',
    since: 2,
    description:
      'Passports of what this product was before: re-used, repurposed, remanufactured, or moved from another service.',
    maxItems: 20,
    of: [
      {
        name: 'passportUrl',
        type: 'name',
        description: 'Address of the earlier passport, http or https.',
        required: true,
        format: 'url',
      },
      {
        name: 'uniqueId',
        type: 'name',
        description: 'Unique identifier of the earlier product, if it is not in the address.',
      },
    ],
  },
  {
    name: 'notApplicable',
    type: 'list',
    nodeClass: 'InapplicableRule',
    since: 2,
    description: 'Rules that do not apply to this product, each with a reason.',
    audience: AUTHORITY,
    maxItems: 100,
    of: [
      { name: 'rule', type: 'name', description: 'Id of the rule.', required: true },
      { name: 'reason', type: 'text', description: 'Why it does not apply.', required: true },
    ],
  },
]

/** Members of each material or fibre besides its share. */
export const ORIGIN_DETAILS: readonly Field[] = [
  {
    name: 'recycledPercentage',
    type: 'number',
    min: 0,
    max: 100,
    unit: '%',
    description: 'Recycled share of it, in percent.',
  },
  {
    name: 'recycledSource',
    type: 'name',
    description: 'Where the recycled material comes from.',
    values: ['post_consumer', 'pre_consumer', 'post_industrial', 'unknown'],
  },
  {
    name: 'country',
    type: 'name',
    description: 'Country, ISO 3166-1 alpha-2 in capitals.',
    format: 'country',
  },
  {
    name: 'certificate',
    type: 'name',
    description: 'Scheme and number of a certificate, for example GRS CU-812345.',
  },
]
