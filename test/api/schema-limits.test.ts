/**
 * Tests that both forms of `GET /schema/{category}` state the limits that the API enforces: values at and
 * beyond each limit of each field are sent, and given to an independent validator of the JSON Schema.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { allCategories } from '../../src/categories/catalogue.ts'
import type { WireField } from '../../src/categories/schema/describe.ts'
import { type Body, validData } from '../categories/arbitrary.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

type Path = readonly string[]
type Wire = Omit<Partial<WireField>, 'items'> & { items?: WireField['items'] }
/** A value for the place, and whether the limits allow it. `make` gets the values that are there. */
type Case = { path: Path; isAllowed: boolean; make: (before: unknown, body: Body) => unknown; isLong?: true }

/** Longer than any text may be, and more than any number may be. */
const MUCH = 20_000
const HUGE = 1e15
const MAX_CASES_AT_A_TIME = 12

/** `0` is the first entry of a list. */
function listCases(fields: readonly Wire[], outer: Path, seed: number): Case[] {
  return fields.flatMap(field => {
    const path = field.name === undefined ? outer : [...outer, field.name]
    const entry = [...path, '0']
    return [
      ...listOwnCases(field, path, seed),
      ...listCases(field.fields ?? [], path, seed),
      ...(field.items?.fields ? listCases(field.items.fields, entry, seed) : []),
      ...(field.items && !field.items.fields ? listOwnCases(field.items as Wire, entry, seed) : []),
    ]
  })
}

function listOwnCases(field: Wire, path: Path, seed: number): Case[] {
  if (field.localized)
    return [...listTextCases(field, [...path, 'primary']), ...listLanguageCases(field, path)]
  if (field.type === 'number') return listNumberCases(field, path, seed)
  if (field.type === 'array') return listEntryCases(field, path)
  return field.type === 'string' && field.enum === undefined ? listTextCases(field, path) : []
}

function listNumberCases({ minimum, maximum }: Wire, path: Path, seed: number): Case[] {
  const lowest = minimum ?? -HUGE
  const highest = maximum ?? HUGE
  const [inside = 0] = fc.sample(fc.double({ min: lowest, max: highest, noNaN: true }), { numRuns: 1, seed })
  const [step = 1] = fc.sample(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { numRuns: 1, seed })
  const send = (value: number, isAllowed: boolean): Case => ({ path, isAllowed, make: () => value })
  return [
    ...[lowest, inside, highest].map(value => send(value, true)),
    ...(minimum === undefined ? [] : [send(minimum - step, false)]),
    ...(maximum === undefined ? [] : [send(maximum + step, false)]),
  ]
}

/** Texts of a format have rules of their own, so that only those beyond the limits are known to be wrong. */
function listTextCases({ min_length = 0, max_length = MUCH, format }: Wire, path: Path): Case[] {
  const send = (length: number, isAllowed: boolean, unit = '7'): Case => ({
    path,
    isAllowed,
    make: () => unit.repeat(length),
  })
  const beyond = [send(max_length + 1, false), ...(min_length > 0 ? [send(min_length - 1, false)] : [])]
  if (format !== undefined) return beyond
  // Code points, not UTF-16 units.
  return [...beyond, send(min_length, true), send(max_length, true), send(max_length, true, '漢😀'.slice(1))]
}

function listLanguageCases({ max_items = MUCH, min_items = 0 }: Wire, path: Path): Case[] {
  const send = (count: number, isAllowed: boolean): Case => ({
    path,
    isAllowed,
    make: (_, { languages }) =>
      Object.fromEntries(
        makeTags(languages)
          .slice(0, count)
          .map(tag => [tag, 'x']),
      ),
  })
  return [
    send(max_items, true),
    send(max_items + 1, false),
    send(min_items, true),
    send(min_items - 1, false),
  ]
}

function listEntryCases({ name, max_items = MUCH, min_items = 0 }: Wire, path: Path): Case[] {
  const fill = (before: unknown, count: number, { languages }: Body) =>
    name === 'languages'
      ? makeTags(languages).slice(0, count)
      : Array.from({ length: count }, () => (before as unknown[])[0])
  const send = (count: number, isAllowed: boolean): Case => ({
    path: [...path],
    isAllowed,
    make: (before, body) => fill(before, count, body),
    isLong: true,
  })
  const fewest = min_items > 0 ? [send(min_items - 1, false)] : [send(0, true)]
  return [send(max_items, true), send(max_items + 1, false), ...fewest]
}

/** The tags of this passport, and more that are well-formed. */
function makeTags(languages: unknown): string[] {
  const letters = Array.from('bcdfghjklmnp')
  const made = letters.flatMap(one => letters.map(other => `q${one}${other}`))
  return [...(languages as string[]), ...made]
}

/** Where the case goes in this body; undefined if the body lacks what is around it, or the list is empty. */
function findPlace(
  body: Body,
  { path, isLong }: Case,
): { parent: Body; name: string; path: Path } | undefined {
  const names = path.map(name => (name === 'primary' ? String((body.languages as string[])[0]) : name))
  let parent: unknown = body
  for (const name of names.slice(0, -1)) parent = (parent as Body)[name] ?? {}
  const name = names.at(-1) ?? ''
  const isThere = Object.keys(parent as Body).length > 0
  const before = (parent as Body)[name]
  if (!isThere || (isLong && !(Array.isArray(before) && before.length > 0))) return undefined
  return { parent: parent as Body, name, path: names }
}

/** Only rules of acts can be named there, which no limit says. */
const isOutOfReach = ({ path }: Case) => path[0] === 'notApplicable' && path.at(-1) === 'rule'

describe('the limits that both forms of a schema state', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  for (const category of allCategories()) {
    test(`${category.id}: are those that the API enforces, and no others`, async () => {
      account = await t.account()
      const read = async (query: string) =>
        (await t.ask('GET', `/api/v1/schema/${category.id}${query}`, { key: account.key })).json
      const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
        await read('?format=json-schema'),
      )
      const seed = Date.now() % 2 ** 31
      const bodies = fc.sample(validData(category), { numRuns: 400, seed })
      const all = listCases((await read('')).data.fields, [], seed).filter(one => !isOutOfReach(one))
      assert.ok(all.length > 150, `${all.length} cases`)
      let left = all
      for (const body of bodies) {
        if (left.length === 0) break
        left = await sendSome(category.id, body, left, validate, `seed ${seed}`)
      }
      assert.deepEqual(
        left.map(({ path }) => path.join('.')),
        [],
        `no place for these, seed ${seed}`,
      )
    })
  }

  /** Puts as many cases into the body as do not touch each other, and returns the others. */
  async function sendSome(
    category: string,
    body: Body,
    cases: readonly Case[],
    validate: ValidateFunction,
    hint: string,
  ): Promise<Case[]> {
    const put = new Map<string, { pointer: string; isAllowed: boolean }>()
    const left: Case[] = []
    let isFull = false
    for (const one of cases) {
      const [top = ''] = one.path
      const place = isFull || put.has(top) ? undefined : findPlace(body, one)
      if (place === undefined) {
        left.push(one)
        continue
      }
      place.parent[place.name] = one.make(place.parent[place.name], body)
      put.set(top, { pointer: `/${place.path.join('/')}`, isAllowed: one.isAllowed })
      isFull = one.isLong === true || put.size >= MAX_CASES_AT_A_TIME || top === 'languages'
    }
    if (put.size > 0) await compare(category, body, [...put.values()], validate, hint)
    return left
  }

  async function compare(
    category: string,
    data: Body,
    sent: readonly { pointer: string; isAllowed: boolean }[],
    validate: ValidateFunction,
    hint: string,
  ): Promise<void> {
    validate(data)
    const bySchema = new Set(validate.errors?.map(error => error.instancePath))
    const answer = await t.ask('POST', '/api/v1/products?dry_run=true', {
      key: account.key,
      body: { category, data },
    })
    assert.ok([201, 422].includes(answer.status), answer.text)
    const errors: { pointer: string; code: string }[] = answer.json.errors ?? []
    // That shares add up is no limit of a list.
    const [primary] = data.languages as string[]
    const byApi = new Set(
      errors
        .filter(one => one.code !== 'sum_not_100')
        // A blank text in the primary language is reported as missing.
        .flatMap(({ pointer, code }) =>
          code === 'primary_language_missing' ? [pointer, `${pointer}/${primary}`] : pointer,
        ),
    )
    for (const { pointer, isAllowed } of sent) {
      assert.deepEqual(
        { schema: !bySchema.has(pointer), api: !byApi.has(`/data${pointer}`) },
        { schema: isAllowed, api: isAllowed },
        `${category} ${pointer}: ${JSON.stringify(errors.slice(0, 5))} ${hint}`,
      )
    }
  }
})
