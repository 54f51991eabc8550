/** Where the developer's pages are, and the way back from each. */

import { html } from 'ghtml'
import { DEVELOPER, WEBHOOKS } from '../page/addresses.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { DEVELOPER_TEXTS } from './texts.ts'

export const wayBack = (words: Words) =>
  html`<p class="way"><a class="alone" href="${DEVELOPER}">${wordsOf(words, DEVELOPER_TEXTS).developer}</a></p>`

export const wayToWebhooks = (words: Words) =>
  html`<p class="way"><a class="alone" href="${WEBHOOKS}">${wordsOf(words, DEVELOPER_TEXTS).webhooks}</a></p>`
