/**
 * GS1's requirements for link sets and resolver descriptions, rewritten from its schemas for resolver
 * standard 1.2 and as strict as the strictest edition: one requires `itemDescription`, the other does not.
 */
import { Ajv, type ValidateFunction } from 'ajv'

const address = { type: 'string', pattern: '^https?://[A-Za-z0-9./]+' }
const text = { type: 'string' }

const link = {
  type: 'object',
  required: ['href', 'title'],
  additionalProperties: false,
  properties: {
    href: address,
    title: text,
    type: { type: 'string', pattern: '^\\w+/[-+.\\w]+$' },
    hreflang: { type: 'array', items: { type: 'string', pattern: '^\\w{2}(-\\w{2})?$' } },
    context: { type: 'array' },
    fwqs: { type: 'boolean' },
    public: { type: 'boolean' },
  },
}

const linkset = {
  type: 'object',
  required: ['linkset'],
  additionalProperties: false,
  properties: {
    linkset: {
      type: 'array',
      items: {
        type: 'object',
        required: ['anchor', 'itemDescription'],
        additionalProperties: false,
        properties: { anchor: address, itemDescription: text },
        // A link type is a lower-case word or a full address, never a prefix with a colon.
        patternProperties: {
          '^(?!itemDescription$|anchor$)(?:[a-z-]+|https?://[A-Za-z0-9./]+)$': { type: 'array', items: link },
        },
      },
    },
  },
}

const PRIMARY_KEYS =
  'all 00 01 253 255 401 402 410 411 412 413 414 415 417 8003 8004 8006 8010 8013 8017 8018'.split(' ')

const description = {
  type: 'object',
  required: ['resolverRoot', 'supportedPrimaryKeys'],
  properties: {
    name: text,
    resolverRoot: address,
    supportedPrimaryKeys: { type: 'array', items: { enum: PRIMARY_KEYS } },
    supportedLinkType: {
      type: 'array',
      items: {
        type: 'object',
        properties: { namespace: address, prefix: { type: 'string', pattern: '^[A-Za-z_][\\w-]*:$' } },
      },
    },
    linkTypeDefaultCanBeLinkset: { type: 'boolean' },
    jsonLdContextLocation: address,
  },
}

const ajv = new Ajv({ allErrors: true, allowMatchingProperties: true })

const faultsBy = (validate: ValidateFunction) => (value: unknown) =>
  validate(value) ? [] : (validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`)

/** The errors of a value under GS1's schemas. */
export const linksetFaults = faultsBy(ajv.compile(linkset))
export const descriptionFaults = faultsBy(ajv.compile(description))
