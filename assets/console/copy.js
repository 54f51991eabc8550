// Adds a copy button to each text to copy. Without this script, focus selects the text.
for (const field of document.querySelectorAll('textarea.copy[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second'
  button.textContent = field.dataset.copy
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(field.value)
    button.textContent = field.dataset.copied
    button.setAttribute('aria-live', 'polite')
  })
  field.after(button)
}
