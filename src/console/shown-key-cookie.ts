/** A new API key on its way to the one page that shows it. */
import { shownOnce } from './shown-once.ts'

export const SHOWN_KEY = '/console/keys/shown'

export const shownKey = shownOnce({
  name: 'carnet-key',
  path: SHOWN_KEY,
  pattern: /^([0-9a-z]{26})\.(dpp_live_[0-9A-Za-z]{42})$/,
})
