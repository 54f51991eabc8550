/** Describes the pages of a record in the console, beyond what the table of its members says. */
import type { RecordStore } from '../../passports/core/store-records.ts'
import type { RecordValues, StoredRecord } from '../../records/record.ts'
import type { Visit, Words } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'

/** The texts that the pages of each record need. RecordMembers without a hint have an empty one. */
export type RecordTexts = Pick<
  Texts['offers'],
  'title' | 'lead' | 'none' | 'add' | 'addTitle' | 'editTitle' | 'full' | 'saved' | 'deleted' | 'save'
> &
  Pick<Texts['offers'], 'deleteTitle' | 'deleteLead'> & {
    members: Readonly<Record<string, string>>
    hints: Readonly<Record<string, string>>
    /** The sentence for two members that exclude each other. */
    both: string
  }

export type RecordPage<R extends StoredRecord = StoredRecord> = {
  store: RecordStore<R>
  /** The address of the list; the pages of one record are below it. */
  address: string
  readTexts(texts: Texts): RecordTexts
  /** The members in the order of the form. */
  order: readonly string[]
  /** Names a value of a choice; the empty one stands for none. */
  nameChoice(words: Words, member: string, value: string): string
  /** The values of a new record's form. */
  initial: RecordValues
  /** Names a record in headings. */
  nameRecord(words: Words, record: R): { text: string; language?: string | undefined }
  /** Names and values, as HTML, of a record in the list. */
  listFacts(words: Words, record: R): readonly (readonly [name: string, html: string])[]
  /** HTML below the list. */
  renderMore?(visit: Visit, records: readonly R[]): Promise<string>
}
