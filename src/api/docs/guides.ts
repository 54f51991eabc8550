/** What the reference page says before the calls: the few things that hold for all of them. */
import { html } from 'ghtml'
import { buildCurlCommand, renderCodeBlock, renderParagraphs } from './text.ts'

type Guide = { id: string; title: string; texts: readonly string[]; code?: readonly [string, string] }

/** `apiUrl` is the address that examples show. */
export const guides = (apiUrl: string): readonly Guide[] => [
  {
    id: 'authentication',
    title: 'Authentication',
    texts: [
      'Every call but `/health` and `/openapi.json` carries an API key. A key begins with `dpp_live_`, acts for one account, and is shown once, when it is made in the console. Its scope is `full`, or `read` for GET alone.',
      'Keep it on your server: who has it can change every passport of the account. A revoked key ends within two seconds.',
    ],
    code: [
      'A first call',
      `export KEY=dpp_live_…\n${buildCurlCommand({ method: 'GET', url: `${apiUrl}/products`, needsKey: true })}`,
    ],
  },
  {
    id: 'answers',
    title: 'Answers',
    texts: [
      'JSON in UTF-8. What you asked for is under `data`; beside it may stand `meta` (of lists and dry runs) and `warnings` (fields the schema does not know, names of fibres that are recognised or not; all are kept). With `Prefer: handling=strict` unknown fields are refused instead.',
      'A refusal has `error` for a person, `code` for a program, `errors` with all violations at once, and `request_id`, which is also in the header `X-Request-Id` of every answer. Branch on `code`: see [Errors](#errors).',
    ],
  },
  {
    id: 'paging',
    title: 'Paging',
    texts: [
      'Lists come newest first, 25 rows a page unless `limit` says otherwise. To read everything, follow `meta.next_cursor` until it is null: each step costs the same, and rows that arrive meanwhile do not shift those you have not seen. `page` is for people who leaf through; `page` and `cursor` exclude each other.',
      '`meta.total` is exact; with `q` it is counted up to 10,000 and then says `total_capped`. For a sync that runs every night, ask with `updated_since`.',
    ],
  },
  {
    id: 'concurrency',
    title: 'Changing what you have seen',
    texts: [
      'A record’s `ETag` names its version. Send it back as `If-Match` with a change, and the change is made on that version or refused with 412 `version_conflict`; `"v3"` is enough. Send it as `If-None-Match` with a GET, and 304 says that nothing has changed.',
      'Without `If-Match` two changes at once both take effect, one after the other: neither loses the other’s fields.',
    ],
  },
  {
    id: 'idempotency',
    title: 'Sending twice, doing once',
    texts: [
      'Give every call that writes an `Idempotency-Key` of up to 200 characters, another for each wish. If the answer gets lost, send the same request again: within 24 hours you get the first answer, with `Idempotency-Replayed: true`, and nothing is done twice.',
      'The same key with another request is 422 `idempotency_key_reused`. While the first request is still being worked on, the second waits for it, at most two seconds; then it is 409 `idempotency_in_progress` with `Retry-After`. Refusals are not remembered: mend the request and send it with the same key.',
    ],
    code: [
      'A key of your own',
      `curl -s ${apiUrl}/products \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -H 'Idempotency-Key: import-2026-11-21-row-17' \\\n  -d @table.json`,
    ],
  },
  {
    id: 'rate-limits',
    title: 'Rate limits',
    texts: [
      'Each key may send so many requests in any 60 seconds: 120 on Pro, 300 on Business and during the beta, 600 on Enterprise. `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) stand on every answer.',
      'Beyond it is 429 `rate_limited`; `Retry-After` says how many seconds to wait. A refused request does not count. Where there are many rows, bulk calls take up to 500 in one request.',
    ],
  },
  {
    id: 'versions',
    title: 'Versions',
    texts: [
      'Of a passport: every successful PATCH makes a version, also one that changes nothing; none is ever changed or deleted. `GET /products/{id}?at=…` reads a passport as it stood at a time.',
      'Of this API: `/api/v1` only grows. New members, values, parameters and codes may appear at any time, so pass over what you do not know. What must break goes to `/api/v2`; both run for twelve months, and `Deprecation` and `Sunset` headers announce the end.',
      'Of the categories: their schemas grow. Read them from [GET /schema/{category}](#getSchema).',
    ],
  },
  {
    id: 'corrections',
    title: 'Changes and corrections',
    texts: [
      'A batch or item inherits what its parent reads as when it is issued. A later **change** of the parent leaves it as it was sold. A **correction** says that the data was wrong all along: units issued before say `outdated: true` until the correction is taken over.'.replaceAll(
        '**',
        '',
      ),
      'Look first: [PATCH](#updateProduct) with `dry_run=true` and `change_type: correction` tells which fields change, how many units there are, and where a unit’s own value wins. Then [refresh](#refreshProduct) one unit, or all under a product.',
    ],
  },
]

/** A test runs it. */
export const SIGNATURE_SAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** rawBody: the bytes as they came; header: X-Service-Signature; secret: whsec_… */
export function isGenuine(rawBody, header, secret) {
  const digest = createHmac('sha256', secret).update(rawBody).digest('hex')
  const [sent, own] = [Buffer.from(header), Buffer.from('sha256=' + digest)]
  return sent.length === own.length && timingSafeEqual(sent, own)
}`

export const renderGuide = ({ id, title, texts, code }: Guide) =>
  html`<section class="guide" id="${id}" aria-labelledby="${id}-title"><div class="about"><h3 id="${id}-title"><a href="#${id}">${title}</a></h3>!${renderParagraphs(texts)}</div>!${code ? `<div class="shown">${renderCodeBlock(...code)}</div>` : ''}</section>`

export const WEBHOOK_TEXTS = [
  'An endpoint is registered in the console: an https address, which events, and a secret (`whsec_…`). Each event is sent as a POST with a JSON body. Answer with any 2xx within 15 seconds, and do the work afterwards.',
  'To check that it is from us, compute the HMAC-SHA256 of the raw body, as it arrived, with the whole secret as the key; compare `sha256=` and its hex digits with `X-Service-Signature` in constant time, and answer 401 if they differ. A library for Standard Webhooks checks `webhook-id`, `webhook-timestamp` and `webhook-signature` instead, and refuses replays too. Samples in TypeScript, Python, PHP and Java are among the papers of the source, in `docs/`.',
  'Events are delivered at least once, in no promised order: `webhook-id` tells what you have seen. Anything but 2xx is tried again after 1 min, 5 min, 30 min, 2 h and 6 h; 410 switches the endpoint off.',
]
