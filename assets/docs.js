// Test forms and copy buttons. The key stays in this page's fields, never in a storage or an address.

const base = document.body.dataset.api

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${figure.querySelector('figcaption').textContent}`)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  figure.append(button)
}

const keys = document.querySelectorAll('input.key')
for (const field of keys) {
  field.addEventListener('input', () => {
    for (const other of keys) if (other !== field) other.value = field.value
  })
}

for (const trial of document.querySelectorAll('details.try')) {
  const form = trial.querySelector('form')
  form.querySelector('select.examples')?.addEventListener('change', event => {
    form.elements.body.value = event.target.value
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    await send(form, trial.querySelector('.result'))
  })
  trial.hidden = false
}

/** Builds the address and the options of `fetch` from a filled form; empty fields are not sent. */
function requestOf(form) {
  const headers = new Headers()
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value.trim()
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (field.dataset.in === 'query') query.set(field.name, value)
    else headers.set(field.name, value)
  }
  const key = form.querySelector('input.key')?.value.trim()
  if (key) headers.set('Authorization', `Bearer ${key}`)
  const body = form.elements.body?.value.trim() || undefined
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const search = query.size > 0 ? `?${query}` : ''
  return [base + path + search, { method: form.dataset.method, headers, body }]
}

async function send(form, result) {
  const [status, headers, body] = result.children
  const button = form.querySelector('button')
  result.hidden = false
  button.disabled = true
  status.textContent = 'Sending …'
  headers.textContent = ''
  body.textContent = ''
  try {
    const [address, options] = requestOf(form)
    const begun = performance.now()
    const answer = await fetch(address, {
      ...options,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
    const text = await answer.text()
    status.textContent = `${answer.status} ${answer.statusText} in ${Math.round(performance.now() - begun)} ms`
    headers.textContent = Array.from(answer.headers, ([name, value]) => `${name}: ${value}`).join('\n')
    body.textContent = pretty(text)
  } catch (error) {
    status.textContent = `Not sent: ${error.message}`
  } finally {
    button.disabled = false
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
