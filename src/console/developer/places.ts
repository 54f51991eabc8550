/** Where the developer's pages are, and the way back from each. */
import { html } from 'ghtml'
import { type Words, wordsOf } from '../texts.ts'
import { DEVELOPER_TEXTS } from './texts.ts'

export const DEVELOPER = '/console/developer'
export const WEBHOOKS = '/console/webhooks'
export const DOCS = '/docs'

export const wayBack = (words: Words) =>
  html`<p class="way"><a class="alone" href="${DEVELOPER}">${wordsOf(words, DEVELOPER_TEXTS).developer}</a></p>`

export const wayToWebhooks = (words: Words) =>
  html`<p class="way"><a class="alone" href="${WEBHOOKS}">${wordsOf(words, DEVELOPER_TEXTS).webhooks}</a></p>`
