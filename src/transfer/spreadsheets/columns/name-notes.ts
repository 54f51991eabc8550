/**
 * Collects the names in a spreadsheet that are replaced or unknown, to show them before anything is written.
 */
import type { Field } from '../../../categories/field.ts'
import { normalizeName } from '../../../categories/names/name-lookup.ts'
import { recogniseFibre, recogniseName } from '../../../categories/names/recognise-names.ts'

/**
 * `exact`: `code` is stored. `similar`: `code` is a suggestion, the text is stored. `unknown`: there is no
 * `code`.
 */
export type NameNote = {
  path: string
  text: string
  code: string | null
  kind: 'exact' | 'similar' | 'unknown'
}

/** The maximum of distinct names per step; further ones are not listed. */
const MAX_NOTES = 100
const MAX_TEXT_LENGTH = 100

export type NameListener = (path: string, field: Field, text: string) => void

export function collectNameNotes() {
  const seen = new Set<string>()
  const notes: NameNote[] = []
  const listen: NameListener = (path, field, text) => {
    const key = `${path}\t${text}`
    if (seen.has(key) || notes.length >= MAX_NOTES || text.length > MAX_TEXT_LENGTH) return
    seen.add(key)
    const note = findNote(path, field, text)
    if (note !== undefined) notes.push(note)
  }
  return { listen, notes: (): readonly NameNote[] => notes }
}

function findNote(path: string, field: Field, text: string): NameNote | undefined {
  const known = recogniseName(path, field, text)
  // A name with more detail is stored as written.
  if (known?.certainty === 'qualified') return undefined
  if (known !== undefined) {
    const isSame = normalizeName(known.code) === normalizeName(text)
    return isSame ? undefined : { path, text, code: known.code, kind: 'exact' }
  }
  // The validator rejects unknown values of closed lists.
  if (field.dictionary !== 'fibres') return undefined
  const near = recogniseFibre(text)
  return { path, text, code: near?.code ?? null, kind: near === undefined ? 'unknown' : 'similar' }
}
