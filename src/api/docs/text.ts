/** Small words of the reference page: Markdown's code and links, blocks of code, texts of commands. */
import { html } from 'ghtml'

const LINK = /\[([^\]]+)\]\((#[\w.-]+|\/[\w./-]*)\)/

/** `code` and [links](#to) within a sentence of ours; everything else is escaped. */
export function renderInline(text: string): string {
  return text
    .split('`')
    .map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : linked(part)))
    .join('')
}

function linked(text: string): string {
  const parts = text.split(LINK)
  let out = ''
  for (let i = 0; i < parts.length; i += 3) {
    out += html`${parts[i] ?? ''}`
    if (i + 2 < parts.length) out += html`<a href="${parts[i + 2] ?? ''}">${parts[i + 1] ?? ''}</a>`
  }
  return out
}

/** A long name breaks after its marks, and an address after its slashes. */
export const renderBreakable = (name: string) => html`${name}`.replaceAll(/[/_]/g, '$&<wbr>')

export const renderParagraphs = (texts: readonly string[]) =>
  texts.map(text => `<p>${renderInline(text)}</p>`).join('')

/** A block of code under a title; the script puts the button for copying into it. */
export const renderCodeBlock = (title: string, code: string) =>
  html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0" role="group" aria-label="${title}"><code>${code}</code></pre></figure>`

export const formatJson = (value: unknown) => JSON.stringify(value, null, 2)

export type CurlRequest = {
  method: string
  url: string
  needsKey: boolean
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

/** The request as a command for a shell: quotes in the body are taken out of the quoting. */
export function buildCurlCommand({ method, url, needsKey, headers = {}, body }: CurlRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const lines = [
    `curl -s${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${/[?&]/.test(url) ? quoted(url) : url}`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(formatJson(body))}`]),
  ]
  return lines.join(' \\\n  ')
}
