/** Checks the fields that a file defines itself, with their members on all levels. */
import type { Path } from '../../kernel/errors/errors.ts'
import { BUNDLED } from '../bundled.ts'
import { type CategoryFile, findField, isUsedPart } from '../category-file.ts'
import { AUDIENCES, type Field, narrowAudience } from '../field.ts'
import type { Report } from './rule-problem.ts'

const MAX_MEMBERS = 600
const MAX_LEVELS = 4
/** Words of documents and of JavaScript that a field would hide. */
const RESERVED: ReadonlySet<string> = new Set(
  `constructor contentSpecificationIds digitalProductPassportId dppSchemaVersion dppStatus economicOperatorId elements
   facilityId granularity inUse lastUpdate passportRecord proof prototype uniqueProductIdentifier`.split(
    /\s+/,
  ),
)

/** A field with its place in the file. `outer`: who may see what it is a member of. */
type Placed = { field: Field; path: Path; outer: typeof AUDIENCES | Field['audience']; level: number }

export function checkMembers(file: CategoryFile, knowsUnit: (unit: string) => boolean, report: Report): void {
  const placed = file.fields.flatMap((field, n) =>
    isUsedPart(field) ? [] : listMembers({ field, path: ['fields', n], outer: AUDIENCES, level: 1 }),
  )
  if (placed.length > MAX_MEMBERS)
    report(['fields'], 'limit', `has ${placed.length} members in all; at most ${MAX_MEMBERS} are allowed.`)
  const names = file.fields.map(field => findField(field)?.name)
  // Labels of bundled categories are in `locales/`, because translators work by language.
  const needsLabels = BUNDLED.every(({ id }) => id !== file.id)
  for (const { field, path, outer, level } of placed) {
    checkName({ field, path, level }, needsLabels, report)
    checkShape(field, path, report)
    checkReferences(field, path, names, report)
    checkAudience(field, path, outer ?? AUDIENCES, report)
    checkUnit(field, path, knowsUnit, report)
  }
  checkTerms(placed, report)
}

function listMembers(placed: Placed): Placed[] {
  const { field, path, outer = AUDIENCES, level } = placed
  const below = { outer: narrowAudience(outer, field), level: level + 1 }
  const members = (['fields', 'of'] as const).flatMap(key =>
    (field[key] ?? []).flatMap((member, n) =>
      listMembers({ field: member, path: [...path, key, n], ...below }),
    ),
  )
  return [placed, ...members]
}

function checkName(
  { field, path, level }: Pick<Placed, 'field' | 'path' | 'level'>,
  needsLabels: boolean,
  report: Report,
): void {
  const { name } = field
  if (level === 1 && RESERVED.has(name))
    report([...path, 'name'], 'reserved_name', `"${name}" is a word of the documents.`)
  if (level > MAX_LEVELS)
    report(path, 'limit', `is on level ${level}; at most ${MAX_LEVELS} levels are allowed.`)
  if (needsLabels && name !== '' && !('label' in field))
    report(path, 'label_missing', 'has no label: add `label` with "en".')
}

/** Lists have entries, objects have members, and no two members one name. */
function checkShape(
  { type, of, fields, sumsTo100, maxItems, needsOneOf }: Field,
  path: Path,
  report: Report,
): void {
  if ((type === 'list') !== (of !== undefined) || (type === 'object') !== (fields !== undefined))
    report(
      path,
      'unknown_member',
      `is of type ${type}: a list needs \`of\`, an object \`fields\`, others neither.`,
    )
  const isAboutEntries = sumsTo100 !== undefined || maxItems !== undefined || needsOneOf !== undefined
  if (isAboutEntries && type !== 'list')
    report(path, 'unknown_member', 'has attributes of a list, but is none.')
  const members = of ?? fields ?? []
  for (const [n, { name }] of members.entries()) {
    if (members.findIndex(one => one.name === name) < n)
      report(
        [...path, of === undefined ? 'fields' : 'of', n],
        'duplicate_name',
        `"${name}" is a member already.`,
      )
  }
  const first = (of ?? []).filter(member => member.since === undefined)
  const types = first.map(member => member.type).sort()
  if (members.length === 3 && types.join() === 'name,number')
    report(path, 'cell_list', 'had a name and a number: spreadsheets no longer write it in one cell.')
}

function checkReferences(field: Field, path: Path, names: readonly unknown[], report: Report): void {
  const members = (field.of ?? []).map(({ name }) => name)
  const named = [
    ['sumsTo100', field.sumsTo100],
    ['audienceMember', field.audienceMember],
    ...(field.needsOneOf ?? []).map(name => ['needsOneOf', name] as const),
  ] as const
  for (const [key, name] of named) {
    if (name !== undefined && !members.includes(name))
      report([...path, key], 'unknown_member', `names "${name}", which is no member of its entries.`)
  }
  if (field.about !== undefined && !names.includes(field.about))
    report([...path, 'about'], 'unknown_member', `names "${field.about}", which is no field of the file.`)
}

function checkAudience(
  { audience = [] }: Field,
  path: Path,
  outer: NonNullable<Field['audience']>,
  report: Report,
) {
  const wider = audience.filter(one => !outer.includes(one))
  if (wider.length > 0)
    report([...path, 'audience'], 'audience_widens', `has ${wider.join(', ')}, who cannot see what it is in.`)
}

function checkUnit(
  { type, unit }: Field,
  path: Path,
  knowsUnit: (unit: string) => boolean,
  report: Report,
): void {
  if (type === 'number' && unit !== undefined && !knowsUnit(unit))
    report(
      [...path, 'unit'],
      'unknown_unit_conversion',
      `spreadsheets cannot convert other units to ${unit}.`,
    )
}

/** A name is one term of JSON-LD, and an entry of the dictionary has one unit. */
function checkTerms(placed: readonly Placed[], report: Report): void {
  const shapes = new Map<string, string>()
  const units = new Map<string, string>()
  for (const { field, path } of placed) {
    const { name, term = name, type, localized, unit = 'none', dictionaryEntry = term } = field
    if (name === '') continue
    const shape = `${localized ? 'localized ' : ''}${type === 'list' ? 'list' : 'value'}`
    const otherShape = shapes.get(term) ?? shape
    if (otherShape !== shape)
      report(path, 'term_conflict', `"${term}" is a ${shape} here and a ${otherShape} before: rename one.`)
    const otherUnit = units.get(dictionaryEntry) ?? unit
    if (otherUnit !== unit) {
      const message = `"${dictionaryEntry}" has the unit ${unit} here and ${otherUnit} before: give a \`dictionaryEntry\`.`
      report(path, 'unit_conflict', message)
    }
    shapes.set(term, otherShape)
    units.set(dictionaryEntry, otherUnit)
  }
}
