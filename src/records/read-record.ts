/** Reads a record that somebody sent: every violation at once. */
import { collectErrors } from '../kernel/errors/collect-errors.ts'
import { invalid, invalidField } from '../kernel/errors/errors.ts'
import { isObject } from '../kernel/values/data-object.ts'
import { isNothing, readMember } from './member-readers.ts'
import { listRecordMembers, type RecordType, type RecordValues } from './record.ts'
import { listUnknownMembers } from './unknown-members.ts'

/** Throws `validation`. Products are not looked up. */
export function readRecord(type: RecordType, sent: unknown): RecordValues {
  const body = requireObject(type, sent)
  const members = listRecordMembers(type.members)
  const unknown = listUnknownMembers(body, Object.keys(type.members))
  const readers = members.map(([name, member]) => {
    return [name, () => readMember(member, { name, value: body[name], type })] as const
  })
  const { values } = collectErrors({
    unknown: () => {
      if (unknown.length > 0) throw invalid(unknown)
    },
    exclusive: () => requireExclusive(type, body),
    values: () => collectErrors(Object.fromEntries(readers)),
  })
  return values
}

/** The members that were sent, unchecked. Throws `validation` for anything but an object of known members. */
export function readChange(type: RecordType, sent: unknown): RecordValues {
  const body = requireObject(type, sent)
  const unknown = listUnknownMembers(body, Object.keys(type.members))
  if (unknown.length > 0) throw invalid(unknown)
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

function requireObject({ members }: RecordType, sent: unknown): Readonly<Record<string, unknown>> {
  if (isObject(sent)) return sent
  const names = Object.keys(members).join(', ')
  throw invalidField([], 'type', `The body must be a JSON object with ${names}.`)
}

function requireExclusive(type: RecordType, body: Readonly<Record<string, unknown>>): void {
  const broken = type.exclusive?.filter(pair => pair.members.every(name => !isNothing(body[name]))) ?? []
  if (broken.length === 0) return
  throw invalid(
    broken.map(({ members: [first, second], reason }) => ({
      path: [first],
      code: 'immutable',
      message: `${first} must be null if ${second} is set: ${reason}.`,
    })),
  )
}
