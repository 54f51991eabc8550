/** Explains the errors of a record at the inputs of its form. */
import type { Detail } from '../../kernel/errors/errors.ts'
import { listRecordMembers, MAX_POSITION, type MemberOfRecord } from '../../records/record.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import type { Words } from '../page/route.ts'
import { listTexts, type TypedRecord } from './read-form.ts'
import type { RecordPage } from './record-page.ts'

/** Those of the form alone, and those that the check of the record has found. Undefined if there are none. */
export function findRecordProblems(
  words: Words,
  page: RecordPage,
  typed: TypedRecord,
  details: readonly Detail[] = [],
): Problems | undefined {
  const { members } = page.store.type
  const ofRows = typed.rows.flatMap((_row, i) => explainRow(words, page, typed, { i, details }))
  const ofMembers = listRecordMembers(members).map(([name, member]) => [
    name,
    explainMember(words, page, typed, { name, member, details }),
  ])
  const problems = problemsOf({
    ...Object.fromEntries(ofMembers),
    ...Object.fromEntries(ofRows),
  })
  return isFine(problems) ? undefined : problems
}

type OfMember = { name: string; member: MemberOfRecord; details: readonly Detail[] }

function explainMember(
  { texts }: Words,
  page: RecordPage,
  { fields, unknownCountries, sent }: TypedRecord,
  { name, member, details }: OfMember,
): string | undefined {
  const { errors, records } = texts
  if (member.type === 'texts') return undefined
  if (member.type === 'countries' && unknownCountries.length > 0)
    return records.errors.countries({ wrong: unknownCountries.slice(0, 3).join(', ') })
  const isExcluded = page.store.type.exclusive?.some(
    ({ members: [first, second] }) => first === name && sent[first] !== null && sent[second] !== null,
  )
  if (isExcluded) return page.readTexts(texts).both
  if (member.required && fields[name] === '' && member.type !== 'flag') return errors.required
  const found = details.find(({ path }) => path[0] === name)
  return found && explainDetail(texts, member, found)
}

function explainDetail(
  { errors, records, accessLinks }: Words['texts'],
  member: MemberOfRecord,
  found: Detail,
): string {
  switch (member.type) {
    case 'line':
    case 'text':
      return found.code === 'length' ? errors.tooLong({ max: member.max }) : errors.characters
    case 'link':
      return records.errors.url
    case 'whole':
      return records.errors.whole({ min: member.min, max: member.max })
    case 'position':
      return records.errors.whole({ min: 0, max: MAX_POSITION })
    case 'day':
      return records.errors.day
    case 'product':
      return accessLinks.productUnknown
    default:
      return errors.choice
  }
}

function explainRow(
  { texts: { errors, records } }: Words,
  page: RecordPage,
  { rows }: TypedRecord,
  { i, details }: { i: number; details: readonly Detail[] },
): (readonly [string, string | undefined])[] {
  const { language = '', texts = {} } = rows[i] ?? {}
  const isRepeated = rows.findIndex(row => row.language === language) < i
  const isEmpty = Object.values(texts).every(text => text === '')
  const ofTexts = listTexts(page).map(name => {
    const member = page.store.type.members[name]
    const isMissing = member?.required && (texts[name] ?? '') === '' && (!isEmpty || rows.length === 1)
    const wrong = details.find(({ path }) => path[0] === name && path[1] === language)
    const max = member?.type === 'texts' ? member.max : 0
    const sentence = wrong?.code === 'length' ? errors.tooLong({ max }) : errors.characters
    return [`${name}-${i}`, isMissing ? errors.required : wrong && sentence] as const
  })
  const ofLanguage = isRepeated ? records.errors.repeated : language === '' ? errors.choice : undefined
  return [[`language-${i}`, ofLanguage], ...ofTexts]
}
