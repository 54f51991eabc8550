// Passkeys: asks the browser and puts its answer into the form. Without this script, people sign in with a password.
const form = document.querySelector('form[data-passkey]')
const knows = typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

const tell = sentence => {
  const line = form.querySelector('.error')
  line.textContent = sentence
  line.hidden = false
}
// Browsers' messages are for programmers; these are the three errors that a person can act on.
const explain = error => {
  const { cancelled, elsewhere, known = cancelled } = form.dataset
  if (error.name === 'AbortError') return
  tell(error.name === 'SecurityError' ? elsewhere : error.name === 'InvalidStateError' ? known : cancelled)
}
const send = credential => {
  form.elements.answer.value = JSON.stringify(credential)
  form.submit()
}

let waiting = new AbortController()

async function use(mediation) {
  waiting.abort()
  waiting = new AbortController()
  const { signal } = waiting
  const answer = await fetch(form.dataset.options, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    signal,
  })
  if (!answer.ok) throw new DOMException('no challenge', 'NotAllowedError')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json())
  send(await navigator.credentials.get({ publicKey, mediation, signal }))
}

// Offers passkeys in the list of the e-mail field. A challenge is valid for ten minutes and is replaced before that.
async function offer() {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  const again = () => use('conditional').catch(() => {})
  again()
  setInterval(() => {
    if (!document.hidden) again()
  }, 8 * 60_000)
}

async function add() {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(form.dataset.options))
  send(await navigator.credentials.create({ publicKey }))
}

if (form !== null && knows) {
  const isUse = form.dataset.passkey === 'use'
  form.hidden = false
  form.addEventListener('submit', event => {
    event.preventDefault()
    const asked = isUse ? use('optional') : add()
    asked.catch(explain)
  })
  if (!isUse) add().catch(explain)
  else if (form.dataset.offer === 'yes') offer()
} else if (form !== null && form.dataset.passkey === 'add') {
  tell(form.dataset.unknown)
}
