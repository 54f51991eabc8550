/** Where the developer's pages are, and the way back from each. */

import { html } from 'ghtml'
import { DEVELOPER, WEBHOOKS } from '../page/addresses.ts'
import type { Words } from '../page/words.ts'

export const backToDeveloper = (words: Words) =>
  html`<p class="way"><a class="alone" href="${DEVELOPER}">${words.texts.developer.developer}</a></p>`

export const backToWebhooks = (words: Words) =>
  html`<p class="way"><a class="alone" href="${WEBHOOKS}">${words.texts.developer.webhooks}</a></p>`
