// The colour's text and its picker follow each other. Without this the one that was touched counts.
for (const picker of document.querySelectorAll('input[type="color"][name="accent_picker"]')) {
  const text = picker.form.elements.accent
  picker.addEventListener('input', () => {
    text.value = picker.value
  })
  text.addEventListener('input', () => {
    const typed = text.value.trim()
    if (/^#[0-9a-f]{6}$/i.test(typed)) picker.value = typed
  })
}
