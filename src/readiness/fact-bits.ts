/**
 * Facts as bits: all that the rules of a category ask of data, so that passports with the same answers are
 * judged once. What follows from the level of a passport, such as its serial, is not in the bits: contents
 * are shared by levels.
 */
import { createHash } from 'node:crypto'
import type { DataObject } from '../kernel/values/data-object.ts'
import { perObject } from '../kernel/values/memo.ts'
import type { Act, Condition, RuleLevel } from './act.ts'
import type { FactSource, RecordMember, RuleFact } from './fact.ts'
import type { Rules } from './rules.ts'
import { isUseTold, listDeclaredRules, type Subject, USE_FACTS } from './subject.ts'
import type { Truth } from './truth.ts'

/** Raise it when a fact gets another meaning, or the bits another form: all bits are then written again. */
const FORM = 3

/**
 * The facts that bits are made of. `hasGtin`: it has a GTIN that is unique in the world. `hasLot`: its items
 * are under a batch.
 */
export type EncodedSource = { data: DataObject; hasGtin: boolean; hasLot: boolean }

export type FactBits = {
  category: string
  /** A number for the category and the facts in their order: bits of another version say nothing. */
  version: number
  encode: (source: EncodedSource) => Buffer
  /** Throws RangeError for bits of another length. */
  decode: (bits: Uint8Array, place: Pick<Subject, 'level' | 'hasChildren'>) => Subject
}

/** By category. */
export const getFactBits = perObject(
  (rules: Rules): ReadonlyMap<string, FactBits> =>
    new Map(Array.from(rules.acts, ([category, acts]) => [category, createFactBits(category, acts)])),
)

function createFactBits(category: string, acts: readonly Act[]): FactBits {
  const facts = listStoredFacts(acts)
  const ruleIds = [...new Set(acts.flatMap(act => act.rules.map(({ id }) => id)))].sort()
  const places = new Map<string, number>()
  let bitCount = 0
  for (const { text, isComparison } of facts) {
    places.set(text, bitCount)
    bitCount += isComparison ? 2 : 1
  }
  const rulePlaces = new Map(ruleIds.map((id, i) => [id, bitCount + i]))
  const byteCount = Math.ceil((bitCount + ruleIds.length) / 8)
  const texts = facts.map(({ text }) => text)
  return {
    category,
    version: computeVersion([FORM, category, texts, ruleIds]),
    encode({ data, hasGtin, hasLot }) {
      const record = new Set<RecordMember>([
        ...(hasGtin ? ['gtin' as const] : []),
        ...(hasLot ? ['lot' as const] : []),
      ])
      const source: FactSource = { data, record, measured: new Set() }
      const bits = Buffer.alloc(byteCount)
      for (const fact of facts) {
        const place = places.get(fact.text) ?? 0
        const truth = fact.read(source)
        if (truth === true) setBit(bits, place)
        if (truth === undefined) setBit(bits, place + 1)
      }
      for (const id of listDeclaredRules(source)) {
        const place = rulePlaces.get(id)
        if (place !== undefined) setBit(bits, place)
      }
      return bits
    },
    decode(bits, { level, hasChildren }) {
      if (bits.length !== byteCount) throw new RangeError(`${bits.length} bytes instead of ${byteCount}`)
      const read = ({ text, isComparison }: RuleFact): Truth => {
        if (hasByLevel(text, level)) return true
        const place = places.get(text)
        if (place === undefined) return false
        return isComparison && hasBit(bits, place + 1) ? undefined : hasBit(bits, place)
      }
      const isDeclared = (id: string) => {
        const place = rulePlaces.get(id)
        return place !== undefined && hasBit(bits, place)
      }
      return { level, hasChildren, read, isDeclared, isInUse: isUseTold(read) }
    },
  }
}

/** Members of the passport that each one of a level has. */
function hasByLevel(text: string, level: RuleLevel): boolean {
  if (text === '@id') return true
  if (text === '@parent') return level !== 'model'
  return (text === '@lot' && level === 'batch') || (text === '@serial' && level === 'item')
}

/** Sorted by text, without those that are not about data. Nothing is measured yet. */
function listStoredFacts(acts: readonly Act[]): RuleFact[] {
  const facts = acts.flatMap(act => [
    ...[act.applies, ...act.scopes.values(), ...act.due.map(({ when }) => when)].flatMap(listConditionFacts),
    ...act.rules.flatMap(rule => [
      ...[rule.when, ...rule.from.map(({ when }) => when)].flatMap(listConditionFacts),
      ...rule.met.flat(),
      ...rule.partial.flat(),
    ]),
  ])
  const isStored = ({ text }: RuleFact) => !text.startsWith('#') && !/^@(?!gtin$|lot$)/.test(text)
  const byText = new Map([...facts, ...USE_FACTS].filter(isStored).map(fact => [fact.text, fact]))
  return [...byText.values()].sort((a, b) => (a.text < b.text ? -1 : 1))
}

function listConditionFacts(condition: Condition): readonly RuleFact[] {
  switch (condition.kind) {
    case 'fact':
      return [condition.fact]
    case 'not':
      return listConditionFacts(condition.of)
    case 'all':
    case 'any':
      return condition.of.flatMap(listConditionFacts)
    default:
      return []
  }
}

/** 31 bits, so that it is an integer of PostgreSQL. */
const computeVersion = (parts: unknown): number =>
  createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE(0) >>> 1

function setBit(bits: Buffer, place: number): void {
  bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
}

const hasBit = (bits: Uint8Array, place: number): boolean =>
  (((bits[place >> 3] ?? 0) >> (place & 7)) & 1) === 1
