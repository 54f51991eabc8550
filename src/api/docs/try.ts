/** The form that sends a request from the reference page. It is hidden until the script shows it. */
import { html } from 'ghtml'
import type { Parameter } from './schema.ts'
import { formatJson } from './text.ts'

type TryForm = {
  id: string
  method: string
  path: string
  needsKey: boolean
  parameters: readonly Parameter[]
  examples: readonly { summary: string; value: unknown }[]
}

/** The body is sent as typed. Only the page's script holds the key. */
export function renderTryForm({ id, method, path, needsKey, parameters, examples }: TryForm): string {
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">!${needsKey ? KEY_FIELD : ''}
!${parameters.map(renderField).join('')}!${examples.length > 0 ? renderBodyField(id, examples) : ''}
<button>Send</button></form>
<div class="result" hidden><p role="status"></p><pre tabindex="0" role="group" aria-label="Response headers of ${id}" class="headers"></pre>
<pre tabindex="0" role="group" aria-label="Response body of ${id}" class="body"></pre></div></details>`
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

function renderBodyField(id: string, examples: TryForm['examples']): string {
  const [first] = examples
  const choice =
    examples.length < 2
      ? ''
      : html`<label>Example<select class="examples">!${examples
          .map(({ value, summary }) => html`<option value="${formatJson(value)}">${summary}</option>`)
          .join('')}</select></label>`
  return html`!${choice}<label>Body<textarea name="body" rows="12" spellcheck="false" aria-label="Body of ${id}">${formatJson(first?.value)}</textarea></label>`
}
