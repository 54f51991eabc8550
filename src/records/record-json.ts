/** Writes records as the API shows them, and as they are sent: the members in the order of their table. */
import { idFromUuid } from '../kernel/crypto/ids.ts'
import { listRecordMembers, type RecordType, type RecordValues, type StoredRecord } from './record.ts'

/** The members as somebody would send them. */
export const toSent = ({ members }: RecordType, values: RecordValues): RecordValues =>
  Object.fromEntries(
    listRecordMembers(members).map(([name, { type }]) => {
      const value = values[name]
      return [name, type === 'product' && typeof value === 'string' ? idFromUuid(value) : value]
    }),
  )

export const toRecordJson = (type: RecordType, record: StoredRecord) => ({
  id: idFromUuid(record.id),
  ...toSent(type, record),
  created_at: record.createdAt.toISOString(),
  updated_at: record.updatedAt.toISOString(),
})
