// Shows texts in several languages as tabs. Without this script, they are below each other.
for (const group of document.querySelectorAll('fieldset.languages')) {
  const fields = [...group.querySelectorAll(':scope > [data-language]')]
  if (fields.length < 2) continue
  const tabs = document.createElement('div')
  tabs.className = 'tabs'
  const show = chosen => {
    for (const [index, field] of fields.entries()) {
      field.hidden = index !== chosen
      tabs.children[index].setAttribute('aria-pressed', String(index === chosen))
    }
  }
  for (const [index, field] of fields.entries()) {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.className = 'tab'
    const wrong = field.querySelector('.error') ? ' !' : ''
    tab.textContent = field.querySelector('label').textContent + wrong
    tab.addEventListener('click', () => show(index))
    tabs.append(tab)
  }
  fields[0].before(tabs)
  const first = fields.findIndex(field => field.querySelector('.error'))
  show(Math.max(0, first))
  const target = () => {
    const at = fields.findIndex(
      field => field.querySelector('textarea')?.id === decodeURIComponent(location.hash.slice(1)),
    )
    if (at >= 0) show(at)
  }
  addEventListener('hashchange', target)
}
