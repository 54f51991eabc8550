// Adds up shares while they are typed. The server also adds them up, and its result counts.
const written = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 6 })
for (const line of document.querySelectorAll('[data-sum]')) {
  const group = line.closest('fieldset')
  const output = line.querySelector('output')
  const add = () => {
    let millionths = 0
    for (const input of group.querySelectorAll(`input[name$=".${line.dataset.sum}"]`)) {
      const value = Number(input.value.replace(/[\s%]/g, '').replace(',', '.'))
      if (Number.isFinite(value)) millionths += Math.round(value * 1e6)
    }
    output.textContent = written.format(millionths / 1e6)
    line.classList.toggle('off', millionths !== 0 && millionths !== 100e6)
  }
  group.addEventListener('input', add)
  add()
}
