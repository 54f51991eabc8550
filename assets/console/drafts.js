// Stores unsaved input in this browser until the form is saved, and asks before the page is left. Without this script,
// leaving a page loses its input.
const PREFIX = 'carnet-draft:'
const MAX_AGE_MS = 7 * 86_400_000
const WRITE_AFTER_MS = 400
const BUTTONS = new Set(['add', 'remove', 'show', 'back', 'reviewed', 'change_type'])

const read = key => {
  try {
    const draft = JSON.parse(localStorage.getItem(key))
    return Array.isArray(draft?.entries) && draft.at > Date.now() - MAX_AGE_MS ? draft : undefined
  } catch {
    return undefined
  }
}
const keys = () => Object.keys(localStorage).filter(key => key.startsWith(PREFIX))
const forget = key => localStorage.removeItem(key)

/** The hidden inputs of a plain form are the server's, and not kept. */
const entriesOf = form => {
  const own = [...form.querySelectorAll('input[type=hidden]')].map(({ name }) => name)
  const skipped = new Set('draftPlain' in form.dataset ? own : [])
  return [...new FormData(form)].filter(
    ([name, value]) => !BUTTONS.has(name) && !skipped.has(name) && typeof value === 'string',
  )
}

function guard(form) {
  const key = PREFIX + form.dataset.draft
  const fresh = JSON.stringify(entriesOf(form))
  const wasSent = 'draftSent' in form.dataset
  const isDirty = () => wasSent || JSON.stringify(entriesOf(form)) !== fresh
  let isLeaving = false
  let timer
  const keep = (sent = false) => {
    clearTimeout(timer)
    timer = undefined
    const text = JSON.stringify({ at: Date.now(), entries: entriesOf(form), sent })
    try {
      if (isDirty()) localStorage.setItem(key, text)
      else forget(key)
    } catch {
      // The browser's storage is full; the page still asks before it is left.
    }
  }
  form.addEventListener('input', () => {
    document.querySelector('[data-draft-offer]')?.remove()
    timer ??= setTimeout(keep, WRITE_AFTER_MS, false)
  })
  form.addEventListener('submit', event => {
    if (event.defaultPrevented) return
    isLeaving = true
    keep(true)
  })
  addEventListener('pagehide', () => {
    if (timer !== undefined) keep()
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
  addEventListener('beforeunload', event => {
    if (!isLeaving && isDirty()) event.preventDefault()
  })
  const draft = wasSent ? undefined : read(key)
  if (draft !== undefined && JSON.stringify(draft.entries) !== fresh) offer(form, key, draft)
  if (wasSent) keep(true)
}

/**
 * Restores by sending the draft as an unsaved form: the server renders all its rows and knows its first version. The
 * button `more` asks a plain form for its rows; plain forms without it have all rows on the page.
 */
function offer(form, key, { at, entries }) {
  const { draftFound, draftRestore, draftDiscard } = form.dataset
  const box = document.createElement('div')
  box.className = 'reach'
  box.setAttribute('role', 'status')
  box.dataset.draftOffer = ''
  const line = document.createElement('p')
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  const when = new Intl.DateTimeFormat(document.documentElement.lang, {
    ...(isToday ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
  })
  line.textContent = draftFound.replace('{time}', when.format(at))
  const button = (text, className, act) => {
    const one = document.createElement('button')
    one.type = 'button'
    one.className = className
    one.textContent = text
    one.addEventListener('click', act)
    return one
  }
  const isPlain = 'draftPlain' in form.dataset
  const hasMore = form.querySelector('button[name=more]') !== null
  const restore = button(draftRestore, '', () => {
    if (isPlain && !hasMore) {
      box.remove()
      return shared.fillIn(form, entries)
    }
    const sent = document.createElement('form')
    sent.method = 'post'
    sent.action = form.getAttribute('action')
    sent.hidden = true
    for (const [name, value] of [...entries, isPlain ? ['more', '1'] : ['show', 'd']]) {
      const field = document.createElement('textarea')
      field.name = name
      field.value = value
      sent.append(field)
    }
    document.body.append(sent)
    sent.submit()
  })
  const discard = button(draftDiscard, 'second', () => {
    forget(key)
    box.remove()
  })
  const choices = document.createElement('p')
  choices.className = 'choices'
  choices.append(restore, discard)
  box.append(line, choices)
  form.before(box)
}

// Deletes drafts of other people, and drafts that were saved. A page reached by going back repeats an old save notice,
// which must not delete input typed since.
const isNewVisit = performance.getEntriesByType('navigation')[0]?.type === 'navigate'
const isOver = (key, version) => {
  const base = read(key)?.entries.find(([name]) => name === 'base')?.[1]
  return base === undefined || Number(base) < version
}
const forms = [...document.querySelectorAll('form[data-draft]')]
const page = document.querySelector('[data-typed]')
const isOthers = key => page !== null && !key.startsWith(PREFIX + page.dataset.typed.split(':')[0] + ':')
const isForgotten = document.querySelector('[data-drafts-forget]') !== null
for (const key of keys()) if (isForgotten || isOthers(key) || read(key) === undefined) forget(key)
for (const { dataset } of document.querySelectorAll('[data-draft-saved]')) {
  const key = PREFIX + dataset.draftSaved
  if (isNewVisit && isOver(key, Number(dataset.version))) forget(key)
}
for (const form of forms) guard(form)

// Plain forms: all others. A draft that was sent is saved once the server says so, by a cookie, or answers with a page
// without its form; an answer that repeats the form, or refuses it, keeps the draft.
const plainForms = page === null ? [] : [...document.querySelectorAll('form[method=post]:not([data-draft])')]
const plainKey = form => `${PREFIX}${page.dataset.typed}:${form.getAttribute('action')}`

function settleSent() {
  const { typed, answered } = page.dataset
  const saved = document.cookie.split(/[|=; ]+/)
  // biome-ignore lint/suspicious/noDocumentCookie: the other interface needs https.
  document.cookie = 'carnet-saved=; Path=/console; Max-Age=0'
  for (const key of keys().filter(one => one.startsWith(`${PREFIX}${typed}:/`))) {
    const draft = read(key)
    if (draft?.sent !== true) continue
    if (saved.includes(encodeURIComponent(key.slice(key.indexOf('/'))))) forget(key)
    else if (answered !== undefined && plainForms.some(form => plainKey(form) === key)) continue
    else if (answered === 'done') forget(key)
    else localStorage.setItem(key, JSON.stringify({ ...draft, sent: false }))
  }
}

if (page !== null) settleSent()

// For the module of plain forms, which pages without them do not load.
const shared = { guard, read, plainForms, plainKey }
globalThis.carnetDrafts = shared
