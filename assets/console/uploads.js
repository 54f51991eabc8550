// Sends each file on its own and shows how far it is. Without this script, the form sends all files at once.
const MAX_BYTES = 20 * 1024 * 1024
const TRIES = 6
const DEFAULT_WAIT_S = 5

const pause = seconds => new Promise(resolve => setTimeout(resolve, seconds * 1000))

/** Resolves to the status, 0 if the connection was lost, the seconds to wait, and what became of the file. */
const post = (address, file, onProgress) =>
  new Promise(resolve => {
    const request = new XMLHttpRequest()
    const body = new FormData()
    body.append('files', file, file.name)
    request.open('POST', address)
    request.setRequestHeader('accept', 'application/json')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    request.addEventListener('loadend', () => {
      const wait = Number(request.getResponseHeader('retry-after')) || DEFAULT_WAIT_S
      const isJson = request.getResponseHeader('content-type')?.startsWith('application/json')
      const sent = isJson ? JSON.parse(request.responseText).files[0] : undefined
      resolve({ status: request.status, wait, sent })
    })
    request.send(body)
  })

function addRow(list, status, { name }, texts) {
  const [row, title, state, bar] = ['li', 'span', 'span', 'progress'].map(tag => document.createElement(tag))
  title.textContent = name
  state.className = 'quiet'
  state.textContent = texts.waiting
  bar.max = 1
  bar.value = 0
  bar.setAttribute('aria-label', name)
  row.append(title, ' ', state, bar)
  list.append(row)
  return {
    wait() {
      state.textContent = texts.waiting
    },
    progress(share) {
      bar.value = share
      state.textContent =
        share < 1 ? texts.sending.replace('{percent}', Math.floor(share * 100)) : texts.checking
    },
    end(text, isError) {
      bar.remove()
      state.className = isError ? 'error' : 'quiet'
      state.textContent = text
      status.textContent = `${name}: ${text}`
    },
  }
}

/** Resolves to the stored file, or undefined after its error is shown. */
async function send(file, row, texts) {
  const fail = text => row.end(text, true)
  if (/\.hei[cf]$/i.test(file.name)) return fail(texts.heic)
  if (file.size > MAX_BYTES) return fail(texts.large)
  for (let left = TRIES - 1; ; left--) {
    const { status, wait, sent } = await post(texts.upload, file, row.progress)
    if (sent?.problem !== undefined) return fail(sent.problem)
    if (sent !== undefined) {
      row.end(sent.isNew ? texts.added : texts.known, false)
      return sent
    }
    if (left === 0 || ![0, 408, 429, 503].includes(status)) {
      return fail(status === 0 ? texts.lost : status === 403 ? texts.out : texts.failed)
    }
    row.wait()
    await pause(wait)
  }
}

function addField(form, name, value) {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = name
  field.value = value
  form.append(field)
}

function start(box) {
  const texts = box.dataset
  const form = box.closest('form')
  const [list, status] = [box.querySelector('.sent'), box.querySelector('[role=status]')]
  const go = document.createElement('button')
  go.type = 'button'
  go.textContent = texts.go

  const waiting = []
  const stored = []
  let isBusy = false

  const show = () => {
    if (texts.adds === '') return location.assign(`${texts.upload}?added=${stored.length}`)
    for (const { id, name } of stored) {
      addField(form, texts.adds, id)
      addField(form, `${texts.adds}-name`, name)
    }
    form.requestSubmit(form.querySelector(`button[name="add"][value="${texts.adds}"]`))
  }
  go.addEventListener('click', show)

  /** After an error, people read it first, and go on when they want or with other files. */
  async function sendAll() {
    if (isBusy) return
    let hasFailed = false
    isBusy = true
    go.remove()
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const sent = await send(next.file, next.row, texts)
      if (sent === undefined) hasFailed = true
      else stored.push(sent)
    }
    isBusy = false
    if (!hasFailed) show()
    else if (stored.length > 0) list.after(go)
  }
  const take = files => {
    for (const file of files) waiting.push({ file, row: addRow(list, status, file, texts) })
    sendAll()
  }
  for (const input of box.querySelectorAll('input[type=file]')) {
    input.addEventListener('change', () => {
      take([...input.files])
      input.value = ''
    })
  }
  // Saving now would leave the page without the files that are still being sent, or that wait for "Go on".
  const holdSave = event => {
    if (!isBusy && (!go.isConnected || event.submitter?.name === 'add')) return
    event.preventDefault()
    // A form cannot be sent again while it is being sent.
    if (!isBusy) return setTimeout(show)
    status.classList.remove('sight')
    status.textContent = texts.busy
    status.scrollIntoView({ block: 'center' })
  }
  form.addEventListener('submit', holdSave, { capture: true })
  // A file that misses the box must not replace the page.
  for (const name of ['dragover', 'drop']) addEventListener(name, event => event.preventDefault())
  for (const name of ['dragover', 'dragleave', 'drop']) {
    box.addEventListener(name, () => box.classList.toggle('over', name === 'dragover'))
  }
  box.addEventListener('drop', event => take([...event.dataTransfer.files]))
  addEventListener('beforeunload', event => {
    if (isBusy) event.preventDefault()
  })
}

for (const box of document.querySelectorAll('[data-upload]')) start(box)
