/** On the overview: webhooks that were switched off, because nobody looks at their pages as long as all is well. */
import { html } from 'ghtml'
import type { EndpointRecord } from '../../webhooks/endpoint.ts'
import { type Words, wordsOf } from '../texts.ts'
import { pageOf } from './subject.ts'
import { DEVELOPER_TEXTS } from './texts.ts'

export function switchedOffNotice(words: Words, endpoints: readonly EndpointRecord[]): string {
  const texts = wordsOf(words, DEVELOPER_TEXTS)
  const off = endpoints.filter(({ status }) => status === 'disabled')
  if (off.length === 0) return ''
  const lines = off.map(
    ({ id, url, disabled_reason }) =>
      html`<p>${texts.homeOff(url)} ${texts.reasons[disabled_reason ?? 'failing']} <a class="alone" href="${pageOf(id)}">${texts.homeOffLink}</a></p>`,
  )
  return html`<div class="reach wrong">!${lines}</div>`
}
