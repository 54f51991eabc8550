/** The shapes that all endpoints share, as JSON Schema. */
import { objectSchema, schemaRef } from '../endpoint/documented-response.ts'
import { DETAIL_CATALOGUE, ERROR_CATALOGUE } from '../endpoint/error-catalogue.ts'

export const SHARED_SCHEMAS = {
  Detail: objectSchema(
    {
      field: {
        type: 'string',
        description: 'As a person writes it.',
        examples: ['fiberComposition[1].percentage'],
      },
      pointer: {
        type: 'string',
        description: 'RFC 6901, from the root of the body; parameters are under `/query`.',
        examples: ['/data/fiberComposition/1/percentage'],
      },
      code: {
        type: 'string',
        description: 'The code for programs.',
        examples: Object.keys(DETAIL_CATALOGUE),
      },
      message: { type: 'string', description: 'One sentence for a person.' },
      index: { type: 'integer', description: 'In bulk calls: the position of the row.' },
    },
    ['index'],
  ),
  Error: objectSchema(
    {
      error: { type: 'string', description: 'One sentence for a person.' },
      code: { type: 'string', description: 'The code for programs.', examples: Object.keys(ERROR_CATALOGUE) },
      errors: { type: 'array', items: schemaRef('Detail') },
      truncated: { type: 'boolean', description: 'There were more than 100 violations.' },
      request_id: { type: 'string', description: 'Quote it when you report a problem.' },
    },
    ['errors', 'truncated'],
  ),
}
