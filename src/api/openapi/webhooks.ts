/** The `webhooks` section of the OpenAPI document. */

type DocumentedEvent = {
  id: string
  summary: string
  description: string
  data: 'PassportEventData' | 'MilestoneEventData' | 'CloneEventData'
  example: object
}

const PASSPORT = { id: '01m7ywhcr7fxwrqq1xd4m28c2t', category: 'furniture' }
const passport = (id: string, summary: string, description: string, versionNo: number): DocumentedEvent => ({
  id,
  summary,
  description,
  data: 'PassportEventData',
  example: { ...PASSPORT, version_no: versionNo },
})

const EVENTS: Readonly<Record<string, DocumentedEvent>> = {
  'product.created': passport(
    'onProductCreated',
    'A passport is created',
    'Also sent for each batch and item.',
    1,
  ),
  'product.updated': passport(
    'onProductUpdated',
    'A passport has a new version',
    'By a change, a correction, a revert or a refresh.',
    2,
  ),
  'product.archived': passport('onProductArchived', 'A passport is archived', 'Its public page stays.', 2),
  'product.restored': passport('onProductRestored', 'A passport is restored', 'It is active again.', 2),
  'scan.milestone': {
    id: 'onScanMilestone',
    summary: 'The scans of a passport reach a milestone',
    description: '10, 50, 100, 250, 500, 1000, 2500, 5000 and so on; each is sent only once per passport.',
    data: 'MilestoneEventData',
    example: { product_id: PASSPORT.id, count: 104, milestone: 100 },
  },
  'scan.clone_suspected': {
    id: 'onCloneSuspected',
    summary: 'The code of an item may have been copied',
    description:
      'An item was scanned unusually often, from many countries or devices. Sent at most once a week per item.',
    data: 'CloneEventData',
    example: { product_id: PASSPORT.id, count: 131, countries: 5, unique_devices: 62 },
  },
}

const productId = { type: 'string', description: 'Passport UID.' }
const amount = (description: string) => ({ type: 'integer', minimum: 0, description })
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

export const EVENT_SCHEMAS = {
  PassportEventData: object({
    id: productId,
    category: { type: 'string' },
    version_no: { type: 'integer', minimum: 1 },
  }),
  MilestoneEventData: object({
    product_id: productId,
    count: amount('Scans so far.'),
    milestone: amount('The milestone reached.'),
  }),
  CloneEventData: object({
    product_id: productId,
    count: amount('Scans in the last 24 hours.'),
    countries: amount('Number of countries.'),
    unique_devices: amount('Number of different devices.'),
  }),
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

/** Sent with every event; `X-Service-Event` is described with each event, because it has its name. */
export const EVENT_HEADERS = {
  'X-Service-Signature': header(
    'X-Service-Signature',
    '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the whole secret as shown (`whsec_…`). Compare it in constant time.',
    'sha256=6c4f1d0a9b7e3c5d8f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e',
  ),
  'webhook-id': header(
    'webhook-id',
    'The same for all attempts of one event, so that you can skip an event you already have.',
    'evt_01m7yx0q8c5v2n7s4h9j3k6b1d',
  ),
  'webhook-timestamp': header(
    'webhook-timestamp',
    'Time of this attempt in Unix seconds. Reject it when it is older than five minutes.',
    '1795253412',
  ),
  'webhook-signature': header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`, keyed with the bytes after `whsec_`. While a secret is rotated there are two, separated by a space.',
    'v1,bE8dCpt+PF2PKhsMnY5/altMPS4fCpuMfW5fSjssHQ4=',
  ),
}

/** The webhook objects, by event name. */
export const buildWebhooks = () =>
  Object.fromEntries(
    Object.entries(EVENTS).map(([name, event]) => [name, { post: buildWebhook(name, event) }]),
  )

function buildWebhook(name: string, event: DocumentedEvent) {
  return {
    operationId: event.id,
    tags: ['webhooks'],
    summary: event.summary,
    description: event.description,
    security: [],
    parameters: [
      {
        ...header('X-Service-Event', 'Name of the event.', name),
        schema: { type: 'string', const: name },
      },
      ...Object.keys(EVENT_HEADERS).map(one => ({ $ref: `#/components/parameters/${one}` })),
    ],
    requestBody: { required: true, content: { 'application/json': content(name, event) } },
    responses: {
      '2XX': { description: 'Received. Answer within 15 s, and do the work afterwards.' },
      '410': { description: 'No longer wanted: the endpoint is switched off.' },
      default: {
        description:
          'Any other answer is a failure. The event is sent again after 1 min, 5 min, 30 min, 2 h and 6 h.',
      },
    },
  }
}

const content = (name: string, event: DocumentedEvent) => ({
  schema: object({
    event: { type: 'string', const: name },
    data: { $ref: `#/components/schemas/${event.data}` },
    sent_at: { type: 'string', format: 'date-time', description: 'Time of this attempt, with its offset.' },
  }),
  example: { event: name, data: event.example, sent_at: '2026-11-24T16:05:12.000+00:00' },
})
