/** The `webhooks` section of the OpenAPI document. */
import documented from '../../../assets/api/events.json' with { type: 'json' }
import { objectSchema } from '../endpoint/documented-response.ts'

export const EVENT_SCHEMAS = documented.schemas

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

/** Sent with every event. `X-Service-Event` is described per event, because its value is the name. */
export const EVENT_HEADERS = Object.fromEntries(
  Object.entries(documented.headers).map(([name, { description, example }]) => [
    name,
    header(name, description, example),
  ]),
)

/** The webhook objects, by event name. */
export const buildWebhooks = () =>
  Object.fromEntries(
    Object.entries(documented.events).map(([name, event]) => [name, { post: buildWebhook(name, event) }]),
  )

type DocumentedEvent = (typeof documented.events)[keyof typeof documented.events]

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
      ...Object.keys(EVENT_HEADERS).map(header => ({ $ref: `#/components/parameters/${header}` })),
    ],
    requestBody: { required: true, content: { 'application/json': content(name, event) } },
    responses: {
      '2XX': { description: 'Received. Answer within 15 s, and do the work afterwards.' },
      '410': { description: 'Gone: the webhook is switched off and gets no more events.' },
      default: {
        description:
          'Any other answer is a failure. The event is sent again after 1 min, 5 min, 30 min, 2 h and 6 h.',
      },
    },
  }
}

const content = (name: string, event: DocumentedEvent) => ({
  schema: objectSchema({
    event: { type: 'string', const: name },
    data: { $ref: `#/components/schemas/${event.data}` },
    sent_at: { type: 'string', format: 'date-time', description: 'Time of this attempt, with its offset.' },
  }),
  example: { event: name, data: event.example, sent_at: '2026-11-24T16:05:12.000+00:00' },
})
