/** One call on the reference page: what it does, what it takes, what it answers, and how to try it. */
import { html } from 'ghtml'
import type { Parameter } from '../endpoint/operation-parts.ts'
import { renderMember, renderMembers, type Schema } from './schema.ts'
import { buildCurlCommand, formatJson, renderBreakable, renderCodeBlock, renderInline } from './text.ts'
import { renderTryForm } from './try.ts'

/** An operation as the OpenAPI document has it, references to parameters resolved. */
export type DescribedOperation = {
  method: string
  path: string
  operationId: string
  summary: string
  description: string
  needsKey: boolean
  parameters: readonly Parameter[]
  body?: { required: boolean; schema: Schema; examples: readonly { summary: string; value: unknown }[] }
  successes: readonly {
    status: string
    description: string
    schema?: Schema
    type?: string
    example?: unknown
  }[]
  refusals: readonly { status: string; codes: readonly string[] }[]
}

/** `apiUrl` is the address that examples show. */
export function renderOperation(operation: DescribedOperation, apiUrl: string): string {
  const { operationId, method, path, summary, description } = operation
  return html`<section class="call" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="about"><h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="address"><b class="${method.toLowerCase()}">${method}</b> <code>!${renderBreakable(path)}</code></p>
<p>!${renderInline(description)}</p>
!${parameters(operation)}!${bodySection(operation)}!${answers(operation)}</div>
<div class="shown">!${renderCodeBlock('Request', example(operation, apiUrl))}!${shownAnswer(operation)}
!${renderTryForm({ ...operation, id: operationId, examples: operation.body?.examples ?? [] })}</div></section>`
}

function parameters({ parameters: all }: DescribedOperation): string {
  const groups = [
    ['In the address', all.filter(one => one.in === 'path')],
    ['Query', all.filter(one => one.in === 'query')],
    ['Headers', all.filter(one => one.in === 'header')],
  ] as const
  return groups
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => {
      const rows = list.map(one =>
        renderMember(
          one.name,
          { ...(one.schema as Schema), description: one.description },
          one.required ?? false,
        ),
      )
      return `<h4>${title}</h4><ul class="members">${rows.join('')}</ul>`
    })
    .join('')
}

const bodySection = ({ body }: DescribedOperation) =>
  body === undefined ? '' : `<h4>Body${body.required ? '' : ', optional'}</h4>${renderMembers(body.schema)}`

function answers({ successes, refusals }: DescribedOperation): string {
  const own = successes.map(
    one =>
      html`<li><code class="name">${one.status}</code> !${renderInline(one.description)}!${one.schema ? successBody(one.schema, one.type ?? '') : ''}</li>`,
  )
  const refused = refusals.map(({ status, codes }) => {
    const links = codes.map(code => html`<a href="#error-${code}"><code>${code}</code></a>`).join(' ')
    return html`<li><code class="name">${status}</code> !${links}</li>`
  })
  return `<h4>Answers</h4><ul class="members">${own.join('')}</ul><ul class="members refusals">${refused.join('')}</ul>`
}

const successBody = (schema: Schema, type: string) =>
  type === 'application/json' ? renderMembers(schema) : html` <span class="type">${type}</span>`

/** The request that the page shows: required parameters, the first example of the body. */
function example(
  { method, path, parameters: all, body, needsKey }: DescribedOperation,
  apiUrl: string,
): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(all.find(one => one.name === name)?.example ?? name)),
  )
  const [first] = body?.examples ?? []
  return buildCurlCommand({
    method,
    url: apiUrl + address,
    needsKey,
    ...(first ? { body: first.value } : {}),
  })
}

function shownAnswer({ successes }: DescribedOperation): string {
  const shown = successes.find(one => one.example !== undefined)
  return shown === undefined ? '' : renderCodeBlock(`Answer, ${shown.status}`, formatJson(shown.example))
}
