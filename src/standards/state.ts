/**
 * Facts that may change for a passport while a copy of its document does not: recalls, a newer version, and
 * where the current document and its status are found. Every format has these members.
 */
import type { Field } from '../categories/field.ts'
import type { DataObject } from '../kernel/values/data-object.ts'
import type { SignedStatus, UndatedReading } from './reading.ts'

const RECALL_FIELDS: readonly Field[] = [
  {
    name: 'passportId',
    type: 'name',
    format: 'url',
    dictionaryEntry: 'recalledPassport',
    description: 'The passport that has the notice: of the product, of its batch or of its model.',
  },
  {
    name: 'level',
    type: 'name',
    dictionaryEntry: 'recallLevel',
    description: 'Whether the notice is that of the model, the batch or the item.',
  },
  {
    name: 'from',
    type: 'name',
    format: 'partial_date',
    dictionaryEntry: 'recalledFrom',
    description: 'The day of the recall.',
  },
  {
    name: 'hazard',
    type: 'text',
    localized: true,
    dictionaryEntry: 'recallHazard',
    description: 'What is wrong.',
  },
  {
    name: 'action',
    type: 'text',
    localized: true,
    dictionaryEntry: 'recallAction',
    description: 'What readers have to do.',
  },
  {
    name: 'url',
    type: 'name',
    format: 'url',
    dictionaryEntry: 'recallUrl',
    description: 'An address with more about the recall.',
  },
  {
    name: 'contact',
    type: 'name',
    dictionaryEntry: 'recallContact',
    description: 'Whom to ask about the recall.',
  },
]

/** Members of `BitstringStatusListEntry` (W3C Bitstring Status List 1.0). */
const STATUS_FIELDS: readonly Field[] = [
  { name: 'statusPurpose', type: 'name', description: 'What a list of statuses is for.' },
  { name: 'statusListIndex', type: 'name', description: 'A place in the list, from 0.' },
  { name: 'statusListCredential', type: 'name', format: 'url', description: 'The address of the list.' },
]

/** Read-only. */
export const STATE_FIELDS: readonly Field[] = [
  {
    name: 'supersededByVersion',
    type: 'number',
    description: 'Number of the current version, if this is an earlier one.',
  },
  {
    name: 'currentDocument',
    type: 'name',
    format: 'url',
    description: 'Where the current document of the passport is.',
  },
  {
    name: 'recalls',
    type: 'list',
    dictionaryEntry: 'recall',
    of: RECALL_FIELDS,
    description: 'The recall notices that hold for the product.',
  },
  {
    name: 'credentialStatus',
    type: 'list',
    of: STATUS_FIELDS,
    description: 'Where to look up whether a signed document was revoked, or its passport changed.',
  },
]

/**
 * The values of `STATE_FIELDS`; null or an empty list where there is nothing to say. `isSigned`: then the
 * document says where the current one is, because it expires.
 */
export const buildState = (reading: UndatedReading, isSigned: boolean): DataObject => {
  const { url, recalls = [], supersededByVersion = null, signedStatus } = reading
  return {
    supersededByVersion,
    currentDocument: supersededByVersion === null && !isSigned ? null : `${url}?format=en`,
    recalls,
    credentialStatus: signedStatus === undefined ? [] : listStatusPlaces(signedStatus),
  }
}

const listStatusPlaces = ({ index, revocationUrl, messageUrl }: SignedStatus) =>
  (
    [
      ['revocation', revocationUrl],
      ['message', messageUrl],
    ] as const
  ).map(([statusPurpose, statusListCredential]) => ({
    statusPurpose,
    statusListIndex: String(index),
    statusListCredential,
  }))
