/** The guides of the reference page: what applies to all calls. */
import { html } from 'ghtml'
import { buildCurlCommand, renderCodeBlock, renderParagraphs } from './text.ts'

type Guide = {
  id: string
  title: string
  texts: readonly string[]
  code?: { title: string; text: (apiUrl: string) => string }
}

export const GUIDES: readonly Guide[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    texts: [
      'Every call except `/health` and `/openapi.json` needs an API key. A key starts with `dpp_live_` and belongs to one account. The console shows it once, when it is created. Its scope is `full`, or `read` for GET only.',
      'Keep the key on your server: anyone who has it can change every passport of the account. A revoked key stops working within two seconds.',
    ],
    code: {
      title: 'A first call',
      text: apiUrl =>
        `export KEY=dpp_live_…\n${buildCurlCommand({ method: 'GET', url: `${apiUrl}/products`, needsKey: true })}`,
    },
  },
  {
    id: 'answers',
    title: 'Responses',
    texts: [
      'Responses are JSON in UTF-8. The result is in `data`. There may also be `meta` (for lists and dry runs) and `warnings` (unknown fields, recognised or unknown fibre names; all are kept). With `Prefer: handling=strict`, unknown fields are rejected instead.',
      'An error has `error` for people, `code` for programs, `errors` with all violations at once, and `request_id`. Every response also has the request id in the header `X-Request-Id`. Let your program decide by `code`: see [Errors](#errors).',
    ],
  },
  {
    id: 'paging',
    title: 'Paging',
    texts: [
      'Lists are sorted newest first, with 25 rows per page unless you send `limit`. To read everything, follow `meta.next_cursor` until it is null: each step costs the same, and new rows do not move the rows you have not seen. `page` is for people who browse. `page` and `cursor` cannot be combined.',
      '`meta.total` is exact. With `q`, counting stops at 10,000 and `total_capped` is true. For a nightly sync, use `updated_since`.',
    ],
  },
  {
    id: 'concurrency',
    title: 'Concurrent changes',
    texts: [
      'The `ETag` of a record identifies its version. Send it as `If-Match` with a change: the change applies to that version, or fails with 412 `version_conflict`. `"v3"` is enough. Send it as `If-None-Match` with a GET: 304 means that nothing has changed.',
      'Without `If-Match`, two changes at the same time are both applied, one after the other. Neither overwrites the fields of the other.',
    ],
  },
  {
    id: 'idempotency',
    title: 'Safe retries',
    texts: [
      'Send an `Idempotency-Key` of up to 200 characters with every call that writes, a new one for each request. If the response is lost, send the same request again. Within 24 hours you get the first response, with `Idempotency-Replayed: true`, and nothing is done twice.',
      'The same key with a different request gives 422 `idempotency_key_reused`. While the first request is still running, the second waits for it for up to two seconds and then gets 409 `idempotency_in_progress` with `Retry-After`. Errors are not stored: correct the request and send it with the same key.',
    ],
    code: {
      title: 'A key of your own',
      text: apiUrl =>
        `curl -s ${apiUrl}/products \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -H 'Idempotency-Key: import-2026-11-21-row-17' \\\n  -d @table.json`,
    },
  },
  {
    id: 'rate-limits',
    title: 'Rate limits',
    texts: [
      'A key has a number of requests in any 60 seconds: 120 on Pro, 300 on Business and during the beta, 600 on Enterprise. Every response has `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds).',
      'More requests get 429 `rate_limited`; `Retry-After` says how many seconds to wait. A rejected request does not count. For many rows, bulk calls take up to 500 in one request.',
    ],
  },
  {
    id: 'versions',
    title: 'Versions',
    texts: [
      'Passports: every successful PATCH writes a version, even if it changes nothing. No version is ever changed or deleted. `GET /products/{id}?at=…` reads a passport as it was at a given time.',
      'This API: `/api/v1` only grows. New members, values, parameters and codes may appear at any time, so ignore what you do not know. A breaking change goes to `/api/v2`. Both then run for twelve months, and the headers `Deprecation` and `Sunset` announce the end.',
      'Categories: their schemas grow. Read them from [GET /schema/{category}](#getSchema).',
    ],
  },
  {
    id: 'corrections',
    title: 'Changes and corrections',
    texts: [
      'A batch or item inherits the data of its parent when it is issued. A later change of the parent leaves the unit as it was sold. A correction means that the data was always wrong: earlier units have `outdated: true` until they take over the correction.',
      'Check first: [PATCH](#updateProduct) with `dry_run=true` and `change_type: correction` shows which fields change, how many units there are, and how many have a value of their own. Then [refresh](#refreshProduct) one unit, or all units under a product.',
    ],
  },
]

/** A test runs this sample. */
export const SIGNATURE_SAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** rawBody: the bytes as received; header: X-Service-Signature; secret: whsec_… */
export function isGenuine(rawBody, header, secret) {
  const digest = createHmac('sha256', secret).update(rawBody).digest('hex')
  const [sent, own] = [Buffer.from(header), Buffer.from('sha256=' + digest)]
  return sent.length === own.length && timingSafeEqual(sent, own)
}`

/** `apiUrl` is the address in the examples. */
export const renderGuide = ({ id, title, texts, code }: Guide, apiUrl: string) =>
  html`<section class="guide" id="${id}" aria-labelledby="${id}-title"><div class="about"><h3 id="${id}-title"><a href="#${id}">${title}</a></h3>!${renderParagraphs(texts)}</div>!${code ? `<div class="shown">${renderCodeBlock(code.title, code.text(apiUrl))}</div>` : ''}</section>`

export const WEBHOOK_TEXTS = [
  'Register an endpoint in the console: an https address, the events, and a secret (`whsec_…`). Each event is sent as a POST with a JSON body. Answer with any 2xx within 15 seconds, and do the work afterwards.',
  'To verify the sender, compute the HMAC-SHA256 of the raw body with the whole secret as the key. Compare `sha256=` and its hex digits with `X-Service-Signature` in constant time, and answer 401 if they differ. A library for Standard Webhooks checks `webhook-id`, `webhook-timestamp` and `webhook-signature` instead, and also rejects replays. The source has samples in TypeScript, Python, PHP and Java, in `docs/`.',
  'Events are delivered at least once, in any order; `webhook-id` shows which ones you already have. After any answer but 2xx, the event is sent again after 1 min, 5 min, 30 min, 2 h and 6 h. 410 switches the endpoint off.',
]
