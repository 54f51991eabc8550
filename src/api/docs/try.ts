/** The form that sends a call from the reference page; the script shows it, and without a script it is not there. */
import { html } from 'ghtml'
import type { Parameter } from '../endpoint/operation-parts.ts'
import { formatJson } from './text.ts'

export type TryForm = {
  id: string
  method: string
  path: string
  needsKey: boolean
  parameters: readonly Parameter[]
  examples: readonly { summary: string; value: unknown }[]
}

/** A body typed here is sent as it is; the key is held by the page's script alone. */
export function renderTryForm({ id, method, path, needsKey, parameters, examples }: TryForm): string {
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">!${needsKey ? KEY : ''}
!${parameters.map(field).join('')}!${examples.length > 0 ? body(id, examples) : ''}
<button>Send</button></form>
<div class="result" hidden><p role="status"></p><pre tabindex="0" role="group" aria-label="Headers of the answer to ${id}" class="headers"></pre>
<pre tabindex="0" role="group" aria-label="Body of the answer to ${id}" class="body"></pre></div></details>`
}

const KEY = `<label>API key<input class="key" type="password" autocomplete="off" spellcheck="false" placeholder="dpp_live_…"></label>`

function field(parameter: Parameter): string {
  const { name, required } = parameter
  const { type, enum: values } = parameter.schema as { type?: string; enum?: readonly string[] }
  const attributes = html`data-in="${parameter.in}" name="${name}"!${required ? ' required' : ''}`
  const choices = values ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  if (choices !== undefined) {
    const options = choices.map(one => html`<option>${one}</option>`).join('')
    return html`<label>${name}<select !${attributes}><option value="">not sent</option>!${options}</select></label>`
  }
  const hint = parameter.example === undefined ? '' : html` placeholder="${String(parameter.example)}"`
  return html`<label>${name}<input !${attributes}!${hint} autocomplete="off" spellcheck="false"></label>`
}

function body(id: string, examples: TryForm['examples']): string {
  const [first] = examples
  const choice =
    examples.length < 2
      ? ''
      : html`<label>Example<select class="examples">!${examples
          .map(one => html`<option value="${formatJson(one.value)}">${one.summary}</option>`)
          .join('')}</select></label>`
  return html`!${choice}<label>Body<textarea name="body" rows="12" spellcheck="false" aria-label="Body of ${id}">${formatJson(first?.value)}</textarea></label>`
}
