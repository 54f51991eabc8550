/** Data that meets a fact, made from its text and the field table. */
import type { CompleteCategory } from '../../src/categories/catalogue.ts'
import type { Field } from '../../src/categories/field.ts'
import { RECORD_MEMBERS, type RecordMember } from '../../src/readiness/fact.ts'

type Writable = Record<string, unknown>
export type Source = { data: Writable; record: Set<RecordMember>; measured: Set<string> }

export const emptySource = (): Source => ({ data: {}, record: new Set(), measured: new Set() })

export const recordMembers = (record: Readonly<Record<string, unknown>>): Set<RecordMember> =>
  new Set(RECORD_MEMBERS.filter(member => record[member] != null))

/** Changes the source so that the fact is true. Throws for a form that it does not know. */
export function meetFact(category: CompleteCategory, source: Source, fact: string): void {
  const member = RECORD_MEMBERS.find(one => fact === `@${one}`)
  if (member !== undefined) source.record.add(member)
  else if (fact.startsWith('#')) source.measured.add(fact.slice(1))
  else if (fact.startsWith('$energyWh>')) source.data.energyWh = Number(fact.slice(10)) + 1
  else if (fact.startsWith('$syntheticShare>'))
    source.data.fiberComposition = [{ fiber: 'polyester', percentage: 100 }]
  else meetDataFact(category, source.data, fact)
}

function meetDataFact(category: CompleteCategory, data: Writable, fact: string): void {
  const ending = /(\?|=\[\]|~month|@fibres|(?:>=|>|<)[\d.]+|\^[^[\]]+|=[^[\]]+)?$/.exec(fact)?.[0] ?? ''
  const steps = fact.slice(0, fact.length - ending.length).split(/\.(?![^[]*\])/)
  let fields = category.fields
  let at = data
  for (const [place, step] of steps.entries()) {
    const [, name = '', , inside] = /^(\w+)(\[([^\]]*)\])?$/.exec(step) ?? []
    const field = fields.find(one => one.name === name)
    if (field === undefined) throw new Error(`${category.id} has no field for ${fact}`)
    const isLast = place === steps.length - 1
    if (step === name) {
      at[name] ??= isLast ? makeEnd(field, ending) : {}
      at = at[name] as Writable
    } else if (inside?.startsWith('=')) {
      at[name] = [...((at[name] as unknown[]) ?? []), inside.slice(1)]
      return
    } else {
      const entry = findEntry(at, name, inside ?? '')
      if (isLast) return
      at = entry
    }
    fields = field.fields ?? field.of ?? []
  }
}

/** The entry of a list that a selection names; every entry for an empty one. */
function findEntry(at: Writable, name: string, selection: string): Writable {
  at[name] ??= []
  const entries = at[name] as Writable[]
  const [key = '', value = ''] = selection.split(/[=~]/)
  const wanted = value.split('|')[0]
  const known = selection === '' ? entries[0] : entries.find(entry => entry[key] === wanted)
  if (known !== undefined) return known
  const entry: Writable = selection === '' ? {} : { [key]: wanted }
  entries.push(entry)
  return entry
}

function makeEnd(field: Field, ending: string): unknown {
  if (ending === '=[]' || (ending === '?' && field.type === 'list')) return []
  if (ending === '~month') return '2027-02'
  if (ending === '@fibres') return 'cotton'
  if (/^[=^]/.test(ending)) {
    const [start = ''] = ending.slice(1).split('|')
    const first = field.format === 'cn_or_hs' ? start.padEnd(6, '0') : start
    return field.type === 'boolean' ? first === 'true' : first
  }
  const number = /^(?:>=|>|<)([\d.]+)$/.exec(ending)?.[1]
  if (number !== undefined) return ending.startsWith('<') ? Number(number) - 1 : Number(number) + 1
  return makeValue(field)
}

/** Any value of the field that counts as present. */
export function makeValue(field: Field): unknown {
  if (field.localized) return { en: 'Some text' }
  switch (field.type) {
    case 'boolean':
      return true
    case 'number':
      return Math.max(field.min ?? 1, 1)
    case 'list':
      return [makeValue(field.of?.[0]?.name === '' ? field.of[0] : { ...field, type: 'object' })]
    case 'object': {
      const members = field.fields ?? field.of ?? []
      const shown = members.some(({ required }) => required) ? members.filter(one => one.required) : members
      return Object.fromEntries(shown.map(member => [member.name, makeValue(member)]))
    }
    default:
      return field.values?.[0] ?? VALUE_BY_FORMAT[field.format ?? ''] ?? 'Some text'
  }
}

const VALUE_BY_FORMAT: Readonly<Record<string, string>> = {
  partial_date: '2027',
  url: 'https://example.com/a.pdf',
  email: 'a@example.com',
  country: 'DE',
  gln: '4012345000009',
  gtin: '09521000000018',
  eori: 'DE123456',
  cas: '50-00-0',
  ec_number: '231-111-4',
  cn_or_hs: '94036010',
  carbon_class: 'A',
  sha256: 'a'.repeat(64),
  language: 'en',
}
