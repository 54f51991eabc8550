// The second click of a double click is not sent: it would be judged against the effect of the first.
const DOUBLE_CLICK_MS = 1_000
const sentAt = new WeakMap()
addEventListener('submit', event => {
  if (event.defaultPrevented) return
  if (event.timeStamp - (sentAt.get(event.target) ?? -DOUBLE_CLICK_MS) < DOUBLE_CLICK_MS)
    event.preventDefault()
  else sentAt.set(event.target, event.timeStamp)
})
