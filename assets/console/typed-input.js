// Stores what people type into plain forms, those without a draft of their own, until they are saved. Needs drafts.js.
const { guard, read, plainForms, plainKey } = globalThis.carnetDrafts
const page = document.querySelector('[data-typed]')
const TYPED =
  'textarea:not([readonly]), input:is([type=text], [type=url], [type=email], [type=date], [type=datetime-local]):not([readonly])'

/** Puts kept values into the fields of a form whose rows are all on the page. */
function fillIn(form, entries) {
  const left = [...entries]
  const take = name => {
    const at = left.findIndex(entry => entry[0] === name)
    return at < 0 ? undefined : left.splice(at, 1)[0][1]
  }
  for (const field of form.elements) {
    if (!field.name || field.type === 'hidden' || field.type === 'submit') continue
    if (field.type === 'checkbox' || field.type === 'radio')
      field.checked = entries.some(([name, value]) => name === field.name && value === field.value)
    else field.value = take(field.name) ?? field.value
  }
  for (const fold of form.querySelectorAll('details')) fold.open = true
  form.dispatchEvent(new Event('input'))
}

globalThis.carnetDrafts.fillIn = fillIn

/** A page between the form and its effect, such as the last question before a recall is published. */
function guardStep(form) {
  let isLeaving = false
  form.addEventListener('submit', () => {
    isLeaving = true
  })
  addEventListener('beforeunload', event => {
    if (!isLeaving) event.preventDefault()
  })
}

for (const form of plainForms) {
  const { typed, answered, ...texts } = page.dataset
  const isSent = answered !== undefined && read(plainKey(form)) !== undefined
  if (form.querySelector(TYPED) === null || form.querySelector('[type=password]') !== null) {
    if (isSent) guardStep(form)
    continue
  }
  Object.assign(form.dataset, texts, { draft: `${typed}:${form.getAttribute('action')}`, draftPlain: '' })
  if (isSent) form.dataset.draftSent = ''
  guard(form)
}
