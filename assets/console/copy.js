// A button beside each text to take along. Without this the text is selected by a touch, as before.
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
