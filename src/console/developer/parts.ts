/** Parts that the developer pages share: back links, the requested webhook, and a sample call. */

import { html } from 'ghtml'
import type { Addresses } from '../../passports/core/record.ts'
import { getWebhook, type WebhookRecord } from '../../webhooks/webhook.ts'
import { backLink, copyable } from '../page/parts.ts'
import { DEVELOPER, type Visit, WEBHOOKS, type Words } from '../page/route.ts'

export const backToDeveloper = ({ texts }: Words) => backLink(DEVELOPER, texts.developer.developer)
export const backToWebhooks = ({ texts }: Words) => backLink(WEBHOOKS, texts.developer.webhooks)

/** The webhook in the address. Throws `not_found`, also for another account's. */
export const endpointOf = ({ ctx, id }: Visit): Promise<WebhookRecord> => getWebhook(ctx, id)

export const pageOf = (id: string) => `${WEBHOOKS}/${id}`

/** The API's address and a sample call, to copy. */
export function apiExample({ texts }: Words, { apiUrl }: Addresses): string {
  const { apiAddress, apiTry, apiTryHint } = texts.home
  const address = { name: 'api-address', label: apiAddress, value: apiUrl, rows: 1 }
  const value = curlCommand(apiUrl, 'YOUR_KEY')
  const call = { name: 'api-curl', label: apiTry, hint: apiTryHint, value, rows: 2 }
  return html`!${copyable(texts, address)}!${copyable(texts, call)}`
}

export const curlCommand = (apiUrl: string, key: string) =>
  `curl ${apiUrl}/products -H 'Authorization: Bearer ${key}'`
