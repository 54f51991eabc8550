/** Texts of the reference page: code and links of Markdown, code blocks, shell commands. */
import { html } from 'ghtml'

const LINK = /\[([^\]]+)\]\((#[\w.-]+|[\w./-]+)\)/

/** Renders `code` and [links](#to); everything else is escaped. */
export function renderInline(text: string): string {
  return text
    .split('`')
    .map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : renderLinks(part)))
    .join('')
}

function renderLinks(text: string): string {
  const parts = text.split(LINK)
  let out = ''
  for (let i = 0; i < parts.length; i += 3) {
    out += html`${parts[i] ?? ''}`
    if (i + 2 < parts.length) out += html`<a href="${parts[i + 2] ?? ''}">${parts[i + 1] ?? ''}</a>`
  }
  return out
}

/** Lets a long name break after slashes and underscores. */
export const renderBreakable = (name: string) => html`${name}`.replaceAll(/[/_]/g, '$&<wbr>')

export const renderParagraphs = (texts: readonly string[]) =>
  texts.map(text => `<p>${renderInline(text)}</p>`).join('')

/** A code block with a title; the script adds the copy button. */
export const renderCodeBlock = (title: string, code: string) =>
  html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0" role="group" aria-label="${title}"><code>${code}</code></pre></figure>`

export const formatJson = (value: unknown) => JSON.stringify(value, null, 2)

type CurlRequest = {
  method: string
  url: string
  needsKey: boolean
  body?: unknown
}

/** The request as a shell command; quotes in the body are escaped. */
export function buildCurlCommand({ method, url, needsKey, body }: CurlRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const lines = [
    `curl -s${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${/[?&]/.test(url) ? quote(url) : url}`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(formatJson(body))}`]),
  ]
  return lines.join(' \\\n  ')
}
