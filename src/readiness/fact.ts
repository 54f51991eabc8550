/**
 * Facts: what rules ask of a passport, as short texts in the rule files, such as `weightKg` or
 * `labels[symbol=lead]`. docs/readiness.md lists every form.
 */
import syntheticFibres from '../../rules/synthetic-fibres.json' with { type: 'json' }
import type { Field } from '../categories/field.ts'
import { recogniseKnownFibre } from '../categories/names/recognise-names.ts'
import { asObject, type DataObject, getOwn, isObject } from '../kernel/values/data-object.ts'
import { isAnswer } from './answer.ts'
import { hasDocumentType, isDocumentType } from './document-types.ts'
import type { Truth } from './truth.ts'

/** Members of the passport itself, which are not in its data. */
export const RECORD_MEMBERS = ['id', 'gtin', 'lot', 'serial', 'parent'] as const
export type RecordMember = (typeof RECORD_MEMBERS)[number]

export type FactSource = {
  data: DataObject
  /** The members that are not null. */
  record: ReadonlySet<RecordMember>
  /** The metrics that were measured at least once, and `events` if the log has an entry. */
  measured: ReadonlySet<string>
  /** An event says so that was not corrected. */
  isPutIntoService?: boolean
}

/** A name of the rule files that stands for a value of the account, such as `eudr_role`. */
export type Parameters = Readonly<Record<string, string | boolean>>

export type RuleFact = {
  text: string
  /** The top-level field, where the text names one. */
  field?: string
  /** The path of members without conditions (`spareParts.partNumber`), for checks against the field table. */
  path?: string
  /** The metric of `#stateOfCertifiedEnergy`, or `events`. */
  metric?: string
  /** A comparison can be unknown; everything else is true or false. */
  isComparison: boolean
  read: (source: FactSource) => Truth
}

/** A condition about the account: `%eudr_role=operator`. */
export type ParameterFact = { parameter: string; values: readonly string[] }

/** Returns undefined if the text is not about a parameter. */
export function parseParameterFact(text: string): ParameterFact | undefined {
  const match = /^%(\w+)=(.+)$/.exec(text)
  return match === null ? undefined : { parameter: match[1] ?? '', values: (match[2] ?? '').split('|') }
}

/** The field at a path of members, such as `spareParts.partNumber`. */
export type FindField = (path: string) => Field | undefined

/** Throws an error with a sentence if the text is no fact. */
export function parseFact(text: string, findField: FindField = () => undefined): RuleFact {
  return (
    parseRecordFact(text) ??
    parseMeasuredFact(text) ??
    parseComputedFact(text) ??
    parseDataFact(text, findField)
  )
}

function parseRecordFact(text: string): RuleFact | undefined {
  if (!text.startsWith('@')) return undefined
  const member = RECORD_MEMBERS.find(one => `@${one}` === text)
  if (member === undefined) throw new Error(`"${text}" is not one of @${RECORD_MEMBERS.join(', @')}`)
  return { text, isComparison: false, read: ({ record }) => record.has(member) }
}

function parseMeasuredFact(text: string): RuleFact | undefined {
  const metric = /^#(\w+)$/.exec(text)?.[1]
  return metric === undefined
    ? undefined
    : { text, metric, isComparison: false, read: ({ measured }) => measured.has(metric) }
}

/** In place of a metric: the log of the unit has an event. */
export const EVENTS_FACT = 'events'

/** Amounts that are computed from several fields. */
const COMPUTED: Readonly<Record<string, (data: DataObject) => number | undefined>> = {
  energyWh: computeEnergy,
  syntheticShare: computeSyntheticShare,
}

function parseComputedFact(text: string): RuleFact | undefined {
  if (!text.startsWith('$')) return undefined
  const match = /^\$(\w+)(>=|>|<)([\d.]+)$/.exec(text)
  const compute = match === null ? undefined : COMPUTED[match[1] ?? '']
  if (match === null || compute === undefined)
    throw new Error(`"${text}" is not a comparison with one of $${Object.keys(COMPUTED).join(', $')}`)
  const isWithin = compareNumbers(match[2] ?? '', Number(match[3]))
  return { text, isComparison: true, read: ({ data }) => isWithin(compute(data)) }
}

/** Watt-hours: `energyWh`, else the rated capacity times the nominal voltage. A zero says nothing. */
function computeEnergy(data: DataObject): number | undefined {
  const [energy, capacity, voltage] = ['energyWh', 'ratedCapacity', 'nominalVoltage'].map(
    name => readNumber(getOwn(data, name)) || undefined,
  )
  if (energy !== undefined) return energy
  return capacity === undefined || voltage === undefined ? undefined : capacity * voltage
}

const SYNTHETIC: ReadonlySet<string> = new Set(syntheticFibres)

/** Percent of synthetic fibres; unknown if a fibre is not recognised. */
function computeSyntheticShare(data: DataObject): number | undefined {
  const fibres = getOwn(data, 'fiberComposition')
  if (!Array.isArray(fibres) || fibres.length === 0) return undefined
  let share = 0
  for (const entry of fibres.map(asObject)) {
    const name = getOwn(entry, 'fiber')
    const fibre = typeof name === 'string' ? recogniseKnownFibre(name) : undefined
    const percentage = readNumber(getOwn(entry, 'percentage'))
    if (fibre === undefined || percentage === undefined) return undefined
    if (SYNTHETIC.has(fibre.code)) share += percentage
  }
  return share
}

const readNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const compareNumbers =
  (operator: string, limit: number) =>
  (value: number | undefined): Truth => {
    if (value === undefined) return undefined
    if (operator === '<') return value < limit
    return operator === '>' ? value > limit : value >= limit
  }

/** Parses the part after the path: a comparison or a stricter sort of presence. */
const ENDING = /(\?|=\[\]|~month|@fibres|(?:>=|>|<)[\d.]+|\^[^[\]]+|=[^[\]]+)?$/
const STEP = /^(\w+)(\[\]|\[[^\]]+\])?$/

type Step = { name: string; entries?: (entries: readonly unknown[]) => readonly unknown[]; isEach: boolean }

function parseDataFact(text: string, findField: FindField): RuleFact {
  const ending = ENDING.exec(text)?.[0] ?? ''
  const steps = splitPath(text.slice(0, text.length - ending.length)).map(one => parseStep(one, text))
  const [first] = steps
  if (first === undefined) throw new Error(`"${text}" names no field`)
  const path = steps.map(step => step.name).join('.')
  const test = parseEnding(ending, text, value => isAnswer(value, path, findField(path)))
  const isComparison = /^(=(?!\[\])|>|<|\^)/.test(ending)
  if (isComparison && steps.some(step => step.entries !== undefined))
    throw new Error(`"${text}" compares within a list: write the condition in brackets`)
  return {
    text,
    field: first.name,
    path,
    isComparison,
    read: ({ data }) => readPath(data, steps, 0, test),
  }
}

/** Splits at the dots outside of brackets. */
const splitPath = (path: string): string[] => path.split(/\.(?![^[]*\])/)

function parseStep(text: string, fact: string): Step {
  const match = STEP.exec(text)
  if (match === null) throw new Error(`"${fact}" is not a path of members`)
  const name = match[1] ?? ''
  const brackets = match[2]
  if (brackets === undefined) return { name, isEach: false }
  if (brackets === '[]') return { name, isEach: true, entries: entries => entries }
  return { name, isEach: false, entries: parseSelection(brackets.slice(1, -1), fact) }
}

/** The inside of brackets: `k=v|w`, `k~code` or `=v`. */
function parseSelection(text: string, fact: string): (entries: readonly unknown[]) => readonly unknown[] {
  const match = /^(\w*)([=~])(.+)$/.exec(text)
  if (match === null) throw new Error(`"${fact}" has a selection that is not k=v, k~code or =v`)
  const [, key = '', operator, wanted = ''] = match
  const values = wanted.split('|')
  if (operator === '~') {
    if (!isDocumentType(wanted)) throw new Error(`"${wanted}" is not in rules/document-types.json`)
    return entries => entries.filter(one => hasDocumentType(asObject(one), key, wanted))
  }
  if (key !== '') return entries => entries.filter(one => values.includes(String(getOwn(asObject(one), key))))
  return entries => entries.filter(one => values.some(value => isValueOrVariant(one, value)))
}

/** `fr-CA` is a variant of `fr`. */
const isValueOrVariant = (one: unknown, value: string): boolean =>
  typeof one === 'string' && (one === value || one.startsWith(`${value}-`))

type Test = (value: unknown) => Truth

function parseEnding(ending: string, fact: string, isAnswered: (value: unknown) => boolean): Test {
  if (ending === '') return isAnswered
  if (ending === '?') return value => isAnswered(value) || isEmptyList(value)
  if (ending === '=[]') return isEmptyList
  if (ending === '~month') return value => typeof value === 'string' && /^\d{4}-\d{2}/.test(value)
  if (ending === '@fibres')
    return value => typeof value === 'string' && recogniseKnownFibre(value)?.certainty === 'exact'
  const number = /^(>=|>|<)([\d.]+)$/.exec(ending)
  if (number !== null) {
    const isWithin = compareNumbers(number[1] ?? '', Number(number[2]))
    return value => isWithin(readNumber(value))
  }
  const wanted = ending.slice(1).split('|')
  if (wanted.includes('')) throw new Error(`"${fact}" has an empty value`)
  if (ending.startsWith('^'))
    return value => (hasValue(value) ? wanted.some(one => String(value).startsWith(one)) : undefined)
  return value => (hasValue(value) ? wanted.includes(String(value)) : undefined)
}

function readPath(value: unknown, steps: readonly Step[], index: number, test: Test): Truth {
  const step = steps[index]
  if (step === undefined) return test(value)
  const member = isObject(value) ? getOwn(value, step.name) : undefined
  if (step.entries === undefined) return readPath(member, steps, index + 1, test)
  const entries = Array.isArray(member) ? step.entries(member) : []
  if (entries.length === 0) return false
  const isTrue = (one: unknown) => readPath(one, steps, index + 1, test) === true
  return step.isEach ? entries.every(isTrue) : entries.some(isTrue)
}

/** Returns true if there is something to compare with. */
const hasValue = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
