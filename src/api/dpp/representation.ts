/** The parameters of EN 18222 that several operations have. */

import type { EnForm } from '../../passports/documents/en-document.ts'
import { CHANGE_TYPES, type ChangeType } from '../../passports/write/plan-version.ts'
import { textMember } from '../endpoint/body.ts'
import { invalidQuery } from '../endpoint/query-parameters.ts'

/** Throws `validation` for anything but the two forms. */
export function readRepresentation(text: string | undefined): EnForm {
  if (text === undefined || text === 'compressed' || text === 'full') return text ?? 'compressed'
  throw invalidQuery('representation', 'enum', 'representation must be compressed or full.')
}

const MAX_NOTE_LENGTH = 500
const note = textMember('', MAX_NOTE_LENGTH)

/** How a change is written into the history. */
export type ChangeOptions = { changeType: ChangeType; note: string | undefined }

/** Throws `validation`. */
export function readChangeOptions(query: { change_type?: string; note?: string }): ChangeOptions {
  const sent = query.change_type ?? 'change'
  const changeType = CHANGE_TYPES.find(one => one === sent)
  if (changeType === undefined) {
    throw invalidQuery('change_type', 'enum', `change_type must be ${CHANGE_TYPES.join(' or ')}.`)
  }
  return { changeType, note: note.read(query.note, 'note') }
}
