/** `GET /openapi.json`: this API, described by its own endpoints. */
import { perObject } from '../../kernel/values/memo.ts'
import { jsonResponse } from '../endpoint/documented-response.ts'
import { type ApiSetup, definePublicEndpoint } from '../endpoint/endpoint.ts'
import { IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { documentResponse, prepareDocument } from '../endpoint/prepared-document.ts'

/** `buildDocument` is called once for each setup, at the first request. */
export function openapiEndpoint(buildDocument: (setup: ApiSetup) => object) {
  const getDocument = perObject((setup: ApiSetup) =>
    prepareDocument(JSON.stringify(buildDocument(setup)), {
      'cache-control': 'public, no-cache',
      // The document contains no account data, and the tools that read it run on other origins.
      'access-control-allow-origin': '*',
    }),
  )
  return definePublicEndpoint({
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenapi',
    tag: 'service',
    summary: 'Get this document',
    description:
      'OpenAPI 3.1. Needs no key, and pages of any origin may read it. `/docs` shows it as a page.',
    requestHeaders: [IF_NONE_MATCH],
    responses: { 200: jsonResponse('The document.', { type: 'object', additionalProperties: true }) },
    errors: ['bad_request', 'rate_limited', 'validation'],
    handle: call => documentResponse(call, getDocument(call.setup)),
  })
}
