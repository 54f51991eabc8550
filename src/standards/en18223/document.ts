/** Writes a passport as a document of EN 18223, built to open readings of it. Neither form has a proof. */
import type { DataObject } from '../../kernel/values/data-object.ts'
import type { Publisher, UndatedReading } from '../reading.ts'
import { compressFields } from './compress-fields.ts'
import { buildElements, type DataElement } from './elements.ts'
import { buildHeader, buildRecord, RECORD_FIELD } from './header.ts'
import { ELEMENT_MEMBER } from './names.ts'
import { buildTextAddressContext } from './text-addresses.ts'

/** The compressed form: the header, then the fields by name, then the record of the passport. */
export const buildEnDocument = (reading: UndatedReading, publisher: Publisher): DataObject => ({
  ...buildHeader(reading, publisher, buildTextAddressContext(reading)),
  ...compressFields(reading.category.fields, reading.data, reading),
  [RECORD_FIELD.name]: buildRecordMembers(reading, publisher),
})

/** The header of a passport, in the compressed form. */
export const buildRecordMembers = (
  reading: UndatedReading,
  publisher: Pick<Publisher, 'issuer'>,
): DataObject => compressFields(RECORD_FIELD.fields ?? [], buildRecord(reading, publisher), reading)

/** The full form: the header, then the same as data elements. */
export const buildFullEnDocument = (reading: UndatedReading, publisher: Publisher): DataObject => ({
  ...buildHeader(reading, publisher),
  [ELEMENT_MEMBER.elements]: buildDataElements(reading, publisher),
})

const buildDataElements = (reading: UndatedReading, { nsUrl, issuer }: Publisher): DataElement[] =>
  buildElements(
    [...reading.category.fields, RECORD_FIELD],
    { ...reading.data, [RECORD_FIELD.name]: buildRecord(reading, { issuer }) },
    { nsUrl, primaryLanguage: reading.primaryLanguage, ownHost: new URL(reading.url).host },
  )
