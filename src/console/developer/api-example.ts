/** The address of the API and a call to try, to copy. */
import { html } from 'ghtml'
import type { Addresses } from '../../passports/core/record.ts'
import { copyable } from '../page/fields.ts'
import type { Words } from '../page/words.ts'

export function apiExample({ texts }: Words, { apiUrl }: Addresses): string {
  const address = { name: 'api-address', label: texts.home.apiAddress, value: apiUrl, rows: 1 }
  const value = curlCommand(apiUrl, 'YOUR_KEY')
  const call = { name: 'api-curl', label: texts.home.apiTry, hint: texts.home.apiTryHint, value, rows: 2 }
  return html`!${copyable(texts, address)}!${copyable(texts, call)}`
}

/** A call that any key may make, ready for a shell. */
export const curlCommand = (apiUrl: string, key: string) =>
  `curl ${apiUrl}/products -H 'Authorization: Bearer ${key}'`
