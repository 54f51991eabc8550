/** Builds the JSON Schemas of a record for the API's documentation. */
import {
  listRecordMembers,
  MAX_POSITION,
  MAX_TEXT_LANGUAGES,
  type MemberOfRecord,
  type RecordType,
} from './record.ts'

const MAX_LINK_LENGTH = 2_048

/** The schema of a new record, of a change of one, and the members of one that is read. */
export function buildRecordSchemas({ members }: RecordType) {
  const described = listRecordMembers(members)
  const properties = Object.fromEntries(described.map(([name, member]) => [name, buildMemberSchema(member)]))
  const change = { type: 'object', properties, additionalProperties: false }
  const required = described.flatMap(([name, member]) => (member.required ? name : []))
  return { change, created: required.length === 0 ? change : { ...change, required }, properties }
}

function buildMemberSchema(member: MemberOfRecord): object {
  const { description } = member
  const typed = (type: string, rules: object) => ({
    type: member.required ? type : [type, 'null'],
    ...rules,
    description,
  })
  switch (member.type) {
    case 'line':
    case 'text':
      return typed('string', { minLength: 1, maxLength: member.max })
    case 'texts':
      return typed('object', {
        minProperties: 1,
        maxProperties: MAX_TEXT_LANGUAGES,
        additionalProperties: { type: 'string', minLength: 1, maxLength: member.max },
      })
    case 'choice':
      return { enum: member.required ? member.values : [...member.values, null], description }
    case 'link':
      return typed('string', {
        format: 'iri',
        pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
        maxLength: MAX_LINK_LENGTH,
      })
    case 'countries':
      return {
        type: 'array',
        items: { type: 'string', pattern: '^[A-Z]{2}$' },
        uniqueItems: true,
        description,
      }
    case 'whole':
      return typed('integer', { minimum: member.min, maximum: member.max })
    case 'position':
      return typed('integer', { minimum: 0, maximum: MAX_POSITION })
    case 'flag':
      return typed('boolean', {})
    case 'day':
      return typed('string', { format: 'date' })
    case 'product':
      return typed('string', { minLength: 26, maxLength: 26 })
  }
}
