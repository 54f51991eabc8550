/** The guides of the reference page: what applies to all calls. */
import { html } from 'ghtml'
import texts from '../../../assets/api/guides.json' with { type: 'json' }
import { renderCodeBlock, renderParagraphs } from './text.ts'

export const GUIDES = texts.guides
export const WEBHOOK_TEXTS = texts.webhooks

/** A test runs this sample. */
export const SIGNATURE_SAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** rawBody: the bytes as received; header: X-Service-Signature; secret: whsec_… */
export function isGenuine(rawBody, header, secret) {
  const digest = createHmac('sha256', secret).update(rawBody).digest('hex')
  const [sent, own] = [Buffer.from(header), Buffer.from('sha256=' + digest)]
  return sent.length === own.length && timingSafeEqual(sent, own)
}`

const API_PATH = /\/api\/v1$/

/** `apiUrl` is the address in the examples. */
export const renderGuide = ({ id, title, texts, code }: (typeof GUIDES)[number], apiUrl: string) =>
  html`<section class="guide" id="${id}" aria-labelledby="${id}-title"><div class="about"><h3 id="${id}-title"><a href="#${id}">${title}</a></h3>!${renderParagraphs(texts)}</div>!${
    code
      ? `<div class="shown">${renderCodeBlock(
          code.title,
          code.text
            .replaceAll('{api}', () => apiUrl)
            .replaceAll('{site}', () => apiUrl.replace(API_PATH, '')),
        )}</div>`
      : ''
  }</section>`
