// Keeps the colour's text and its picker equal. Without this script, the one that was changed counts.
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
