/** One endpoint on the reference page: description, parameters, responses, and a form to try it. */
import { html } from 'ghtml'
import { type Parameter, renderMember, renderMembers, type Schema } from './schema.ts'
import { buildCurlCommand, formatJson, renderBreakable, renderCodeBlock, renderInline } from './text.ts'

type Examples = readonly { summary: string; value: unknown }[]

/** An operation of the OpenAPI document, with resolved references to parameters. */
export type DescribedOperation = {
  method: string
  path: string
  operationId: string
  summary: string
  description: string
  needsKey: boolean
  parameters: readonly Parameter[]
  body: { required: boolean; schema: Schema; examples: Examples } | undefined
  successes: readonly {
    status: string
    description: string
    schema: Schema | undefined
    type: string | undefined
    example: unknown
  }[]
  errors: readonly { status: string; codes: readonly string[] }[]
}

/** `apiUrl` is the address in the examples. */
export function renderOperation(operation: DescribedOperation, apiUrl: string): string {
  const { operationId, method, path, summary, description } = operation
  return html`<section class="call" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="about"><h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="address"><b class="${method.toLowerCase()}">${method}</b> <code>!${renderBreakable(path)}</code></p>
<p>!${renderInline(description)}</p>
!${renderParameters(operation)}!${renderBody(operation)}!${renderResponses(operation)}</div>
<div class="shown">!${renderCodeBlock('Request', buildExampleRequest(operation, apiUrl))}!${renderExampleResponse(operation)}
!${renderTryForm(operation)}</div></section>`
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' }

function renderParameters({ parameters }: DescribedOperation): string {
  const groups = Object.entries(PLACES).map(([place, title]) => {
    const rows = parameters
      .filter(parameter => parameter.in === place)
      .map(({ name, schema, description, required = false }) =>
        renderMember(name, { ...schema, description }, required),
      )
    return rows.length === 0 ? '' : `<h4>${title}</h4><ul class="members">${rows.join('')}</ul>`
  })
  return groups.join('')
}

const renderBody = ({ body }: DescribedOperation) =>
  body === undefined ? '' : `<h4>Body${body.required ? '' : ', optional'}</h4>${renderMembers(body.schema)}`

function renderResponses({ successes, errors }: DescribedOperation): string {
  const successItems = successes.map(
    ({ status, description, schema, type = '' }) =>
      html`<li><code class="name">${status}</code> !${renderInline(description)}!${schema ? renderResponseBody(schema, type) : ''}</li>`,
  )
  const errorItems = errors.map(({ status, codes }) => {
    const links = codes.map(code => html`<a href="#error-${code}"><code>${code}</code></a>`).join(' ')
    return html`<li><code class="name">${status}</code> !${links}</li>`
  })
  return `<h4>Responses</h4><ul class="members">${successItems.join('')}</ul><ul class="members errors">${errorItems.join('')}</ul>`
}

const renderResponseBody = (schema: Schema, type: string) =>
  type === 'application/json' ? renderMembers(schema) : html` <span class="type">${type}</span>`

/** The request with its required parameters and the first example of the body. */
function buildExampleRequest(
  { method, path, parameters, body, needsKey }: DescribedOperation,
  apiUrl: string,
): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters.find(parameter => parameter.name === name)?.example ?? name)),
  )
  return buildCurlCommand({ method, url: apiUrl + address, needsKey, body: body?.examples[0]?.value })
}

function renderExampleResponse({ successes }: DescribedOperation): string {
  const shown = successes.find(({ example }) => example !== undefined)
  return shown === undefined ? '' : renderCodeBlock(`Response, ${shown.status}`, formatJson(shown.example))
}

/**
 * The form that sends a request, hidden until the script shows it. The body is sent as typed. Only the page's
 * script holds the key.
 */
function renderTryForm({
  operationId,
  method,
  path,
  needsKey,
  parameters,
  body,
}: DescribedOperation): string {
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">!${needsKey ? KEY_FIELD : ''}
!${parameters.map(renderField).join('')}!${body?.examples.length ? renderBodyField(operationId, body.examples) : ''}
<button>Send</button></form>
<div class="result" hidden><p role="status"></p><pre tabindex="0" role="group" aria-label="Response headers of ${operationId}" class="headers"></pre>
<pre tabindex="0" role="group" aria-label="Response body of ${operationId}" class="body"></pre></div></details>`
}

const KEY_FIELD = `<label>API key<input class="key" type="password" autocomplete="off" spellcheck="false" placeholder="dpp_live_…"></label>`

function renderField(parameter: Parameter): string {
  const { name, required } = parameter
  const { type, enum: values } = parameter.schema
  const attributes = html`data-in="${parameter.in}" name="${name}"!${required ? ' required' : ''}`
  const choices = values ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  if (choices !== undefined) {
    const options = choices.map(choice => html`<option>${choice}</option>`).join('')
    return html`<label>${name}<select !${attributes}><option value="">not sent</option>!${options}</select></label>`
  }
  const hint = parameter.example === undefined ? '' : html` placeholder="${String(parameter.example)}"`
  return html`<label>${name}<input !${attributes}!${hint} autocomplete="off" spellcheck="false"></label>`
}

function renderBodyField(id: string, examples: Examples): string {
  const [first] = examples
  const choice =
    examples.length < 2
      ? ''
      : html`<label>Example<select class="examples">!${examples
          .map(({ value, summary }) => html`<option value="${formatJson(value)}">${summary}</option>`)
          .join('')}</select></label>`
  return html`!${choice}<label>Body<textarea name="body" rows="12" spellcheck="false" aria-label="Body of ${id}">${formatJson(first?.value)}</textarea></label>`
}
