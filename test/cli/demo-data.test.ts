/** Tests the demo's data: first-time readers judge Carnet by it, so every number in it must be right. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { findCategory } from '../../src/categories/catalogue.ts'
import { validateData } from '../../src/categories/check/validate.ts'
import { DEMO_PASSPORTS, type DemoPassport } from '../../src/cli/demo/demo-data.ts'
import { classifyGtin } from '../../src/gs1/gtin-kind.ts'

const readList = (name: string): DemoPassport[] =>
  JSON.parse(readFileSync(new URL(`../../assets/demo/${name}.json`, import.meta.url), 'utf8'))
const TEXTILES = readList('textiles')
const BATTERIES = readList('batteries')
const FURNITURE = readList('furniture')

type Data = Record<string, unknown>
type Unit = { id: string; level: 'batch' | 'item'; data: Data }

/** The only GTIN with an indicator digit: eight modules in a rack, sold as one. */
const PACKAGE_GTIN = '19521002400004'
const SHARED_CORE = ['productName', 'sku', 'brandName', 'economicOperator', 'languages', 'endOfLife']
const CORE = {
  textile: [...SHARED_CORE, 'fiberComposition', 'countryOfManufacture', 'careInstructions', 'repair'],
  battery: [
    ...SHARED_CORE,
    'batteryCategory',
    'cellChemistry',
    'weightKg',
    'countryOfManufacture',
    'manufacturingDate',
    'ratedCapacity',
  ],
  furniture: [...SHARED_CORE, 'materialComposition', 'countryOfManufacture', 'careInstructions', 'repair'],
}
const LOCALIZED = new Set([
  'careInstructions',
  'assemblyInstructions',
  'safetyInformation',
  'instructions',
  'recyclingInstructions',
  'disposalInstructions',
])
const SUMS: Record<string, string> = { fiberComposition: 'percentage', materialComposition: 'percentage' }
/** GS1's 82 characters, as the General Specifications list them for AI 10 and AI 21. */
const LOT_OR_SERIAL = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,20}$/

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every [key, value] pair at any depth, arrays included. */
const walk = (value: unknown): [string, unknown][] => {
  if (Array.isArray(value)) return value.flatMap(walk)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) => [
    [key, member] as [string, unknown],
    ...walk(member),
  ])
}

const merge = (data: Data, own: Data): Data =>
  Object.fromEntries(Object.entries({ ...data, ...own }).filter(([, value]) => value !== null))

/**
 * All units of a model with their effective data: the model's, overridden by the batch's, overridden by their
 * own.
 */
const unitsOf = ({ data, batches = [], items = [] }: DemoPassport): Unit[] => [
  ...batches.flatMap(batch => {
    const read = merge(data, batch.data ?? {})
    const below = (batch.items ?? []).map(item => ({
      id: item.serial,
      level: 'item' as const,
      data: merge(read, item.data ?? {}),
    }))
    return [{ id: batch.lot, level: 'batch' as const, data: read }, ...below]
  }),
  ...items.map(item => ({ id: item.serial, level: 'item' as const, data: merge(data, item.data ?? {}) })),
]

/** The model's data as created and after each update. */
const versionsOf = ({ data, corrections = [] }: DemoPassport): Data[] => {
  const versions = [data]
  for (const update of corrections) versions.push(merge(versions.at(-1) ?? data, update.data))
  return versions
}

/** All data that will be stored in passports, each with a name for messages. */
const stored = DEMO_PASSPORTS.flatMap(passport => {
  const name = String(passport.data.sku)
  return [
    ...versionsOf(passport).map((data, n) => ({ passport, name: `${name} v${n + 1}`, data })),
    ...unitsOf(passport).map(unit => ({ passport, name: `${name} ${unit.id}`, data: unit.data })),
  ]
})

const values = (key: string): string[] =>
  stored.flatMap(({ data }) => walk(data).flatMap(([name, value]) => (name === key ? [String(value)] : [])))

/**
 * GS1's mod-10: counted from the right, the digits before the check digit weigh 3, 1, 3, 1 …; the total is a
 * multiple of ten.
 */
const endsInGs1CheckDigit = (digits: string): boolean => {
  const total = Array.from(digits)
    .reverse()
    .reduce((sum, digit, place) => sum + Number(digit) * (place % 2 === 1 ? 3 : 1), 0)
  return total % 10 === 0
}

/** CAS: the last digit is the sum of the others, each times its position from the right, modulo 10. */
const endsInCasCheckDigit = (number: string): boolean => {
  const [check = Number.NaN, ...rest] = Array.from(number.replaceAll('-', '')).reverse().map(Number)
  return rest.reduce((sum, digit, place) => sum + digit * (place + 1), 0) % 10 === check
}

/** The number as an exact integer of thousandths. */
const thousandths = (value: unknown): bigint => {
  const [whole = '', fraction = ''] = String(value).split('.')
  assert.ok(fraction.length <= 3, `${value} has more than three decimals`)
  return BigInt(whole + fraction.padEnd(3, '0'))
}

const sum = (list: unknown, member: string): bigint => {
  assert.ok(Array.isArray(list))
  return list.reduce((total: bigint, entry: Data) => total + thousandths(entry[member]), 0n)
}

describe('demo data: breadth', () => {
  test('has at least five models per category, each category in its own list', () => {
    for (const [category, list] of Object.entries({
      textile: TEXTILES,
      battery: BATTERIES,
      furniture: FURNITURE,
    })) {
      assert.ok(list.length >= 5, category)
      assert.deepEqual([...new Set(list.map(passport => passport.category))], [category])
    }
    assert.equal(DEMO_PASSPORTS.length, TEXTILES.length + BATTERIES.length + FURNITURE.length)
  })

  test('one model per category has the required fields and nothing else', () => {
    for (const list of [TEXTILES, BATTERIES, FURNITURE]) {
      const bare = list.filter(({ category, data }) => Object.keys(data).length === CORE[category].length)
      assert.equal(bare.length, 1)
    }
  })

  test('every category has batches with their own data, items, and both kinds of history', () => {
    for (const list of [TEXTILES, BATTERIES, FURNITURE]) {
      assert.ok(list.some(({ batches = [] }) => batches.some(batch => batch.data)))
      assert.ok(list.some(passport => unitsOf(passport).some(unit => unit.level === 'item')))
      const kinds = list.flatMap(({ corrections = [] }) => corrections.map(update => update.change_type))
      assert.deepEqual([...new Set(kinds)].sort(), ['change', 'correction'])
    }
  })

  test('primary languages vary, and there are protected values to show', () => {
    assert.ok(new Set(DEMO_PASSPORTS.map(({ data }) => String(data.languages).split(',')[0])).size >= 10)
    for (const key of ['eori', 'dueDiligenceUrl', 'facilityName', 'facilityId', 'stateOfHealth']) {
      assert.ok(values(key).length >= 3, key)
    }
  })
})

describe('demo data: required fields', () => {
  for (const { passport, name, data } of stored) {
    test(name, () => {
      assert.deepEqual(
        CORE[passport.category].filter(field => data[field] === undefined),
        [],
      )
      const operator = data.economicOperator as Data
      for (const field of ['role', 'legalName', 'address', 'country', 'contactEmail'])
        assert.ok(operator[field], field)
      const end = data.endOfLife as Data
      assert.ok(isObject(end.recyclingInstructions) && isObject(end.disposalInstructions))
    })
  }
})

describe('demo data: check digits', () => {
  test('every GTIN has a legal length, a correct check digit and the example prefix', () => {
    const lengths = new Set(values('gtin').map(gtin => gtin.length))
    assert.deepEqual([...lengths].sort(), [12, 13, 14])
    for (const gtin of values('gtin')) {
      assert.match(gtin, gtin.length === 14 ? /^[1-8]952[0-9]{10}$/ : /^952[0-9]{9,10}$/)
      assert.ok(endsInGs1CheckDigit(gtin), gtin)
    }
  })

  test('no two models share a GTIN, no unit has its own, and some model has none', () => {
    const gtins = DEMO_PASSPORTS.flatMap(({ data }) =>
      data.gtin ? [String(data.gtin).padStart(14, '0')] : [],
    )
    assert.equal(new Set(gtins).size, gtins.length)
    assert.ok(gtins.length < DEMO_PASSPORTS.length)
    const own = DEMO_PASSPORTS.flatMap(({ batches = [], items = [] }) => [
      ...batches,
      ...batches.flatMap(batch => batch.items ?? []),
      ...items,
    ])
    assert.deepEqual(
      own.filter(child => child.data && 'gtin' in child.data),
      [],
    )
  })

  test('every GLN has thirteen digits, a correct check digit and the example prefix', () => {
    for (const gln of [...values('operatorId'), ...values('facilityId')]) {
      assert.match(gln, /^952[0-9]{10}$/)
      assert.ok(endsInGs1CheckDigit(gln), gln)
    }
  })

  test('each GLN belongs to one place', () => {
    const nameOf = new Map<string, string>()
    for (const { data } of stored) {
      for (const [, stage] of walk(data).flatMap(([, list]) =>
        Array.isArray(list) ? list.entries().toArray() : [],
      )) {
        if (!isObject(stage) || typeof stage.facilityId !== 'string') continue
        const known = nameOf.get(stage.facilityId) ?? String(stage.facilityName)
        assert.equal(stage.facilityName, known)
        nameOf.set(stage.facilityId, known)
      }
    }
    assert.ok(nameOf.size >= 10)
  })

  test('every CAS number is well formed and has a correct check digit', () => {
    assert.ok(new Set(values('casNumber')).size >= 12)
    for (const number of values('casNumber')) {
      assert.match(number, /^[1-9][0-9]{1,6}-[0-9]{2}-[0-9]$/)
      assert.ok(endsInCasCheckDigit(number), number)
    }
  })

  test('the same CAS number always has the same name', () => {
    const nameOf = new Map<string, string>()
    const entries = stored.flatMap(({ data }) => [data.substancesOfConcern, data.hazardousSubstances].flat())
    for (const entry of entries.filter(isObject)) {
      const known = nameOf.get(String(entry.casNumber)) ?? String(entry.name)
      assert.equal(entry.name, known)
      nameOf.set(String(entry.casNumber), known)
    }
  })

  test('codes, addresses and dates are well formed', () => {
    for (const code of values('commodityCode')) assert.match(code, /^[0-9]{6}([0-9]{2})?$/)
    for (const eori of values('eori')) assert.match(eori, /^[A-Z]{2}[\x21-\x7e]{1,15}$/)
    for (const email of values('contactEmail')) assert.match(email, /^[a-z]+@[a-z-]+\.example$/)
    for (const date of values('manufacturingDate')) assert.match(date, /^20[0-9]{2}(-[0-9]{2}(-[0-9]{2})?)?$/)
    for (const country of [...values('country'), ...values('countryOfManufacture')])
      assert.match(country, /^[A-Z]{2}$/)
    for (const key of ['url', 'sparePartsUrl', 'dueDiligenceUrl', 'carbonFootprintStudyUrl', 'sourceUrl']) {
      for (const url of values(key)) assert.match(new URL(url).host, /\.example$/)
    }
  })
})

describe('demo data: sums', () => {
  test('every composition adds up to exactly 100, one of them in thirds', () => {
    for (const { name, data } of stored) {
      for (const [list, member] of Object.entries(SUMS)) {
        if (data[list]) assert.equal(sum(data[list], member), 100_000n, `${name} ${list}`)
      }
    }
    assert.ok(values('percentage').includes('33.3'))
  })

  test('the stages of a carbon footprint add up to its total', () => {
    for (const { name, data } of stored) {
      if (!data.carbonFootprintBreakdown) continue
      assert.equal(sum(data.carbonFootprintBreakdown, 'value'), thousandths(data.carbonFootprint), name)
    }
  })

  test('energy is capacity times voltage', () => {
    for (const { name, data } of stored) {
      if (data.energyWh)
        assert.equal(data.energyWh, Number(data.ratedCapacity) * Number(data.nominalVoltage), name)
    }
  })
})

describe('demo data: texts', () => {
  test('every localized text is in the primary language and only in languages of its passport', () => {
    for (const { name, data } of stored) {
      const languages = data.languages as string[]
      assert.deepEqual(Intl.getCanonicalLocales(languages), languages)
      for (const [key, text] of walk(data)) {
        if (!LOCALIZED.has(key) || !isObject(text)) continue
        assert.ok(String(text[languages[0] ?? ''] ?? '').trim(), `${name} ${key}`)
        assert.deepEqual(
          Object.keys(text).filter(tag => !languages.includes(tag)),
          [],
          `${name} ${key}`,
        )
      }
    }
  })

  test('no text is blank, or has outer white space or control characters', () => {
    for (const { name, data } of stored) {
      for (const [key, text] of walk(data)) {
        if (typeof text === 'string')
          assert.match(text, /^[^\s\p{Cc}]([^\p{Cc}]|\n)*(?<!\s)$/u, `${name} ${key}`)
      }
    }
  })

  test('every update has a note of at most 500 characters, and changes something', () => {
    for (const passport of DEMO_PASSPORTS) {
      const versions = versionsOf(passport)
      for (const [n, update] of (passport.corrections ?? []).entries()) {
        assert.ok(update.note.length > 0 && update.note.length <= 500)
        assert.notDeepEqual(versions[n + 1], versions[n])
      }
    }
  })
})

describe('demo data: units', () => {
  test('lots and serials are valid and unique within their model', () => {
    for (const passport of DEMO_PASSPORTS) {
      for (const level of ['batch', 'item']) {
        const ids = unitsOf(passport).flatMap(unit => (unit.level === level ? [unit.id] : []))
        assert.equal(new Set(ids).size, ids.length)
        for (const id of ids) {
          assert.match(id, LOT_OR_SERIAL)
          assert.ok(id !== '.' && id !== '..')
        }
      }
    }
  })

  test('state of health is a percentage of an item, never of a model or batch', () => {
    for (const passport of DEMO_PASSPORTS) {
      assert.ok(versionsOf(passport).every(data => data.stateOfHealth === undefined))
      for (const { level, data } of unitsOf(passport)) {
        if (data.stateOfHealth === undefined) continue
        assert.equal(level, 'item')
        assert.ok(Number(data.stateOfHealth) > 0 && Number(data.stateOfHealth) <= 100)
      }
    }
  })
})

describe('demo data: validation by category', () => {
  for (const { passport, name, data } of stored) {
    const expected = data.gtin === PACKAGE_GTIN ? ['data.gtin special_gtin'] : []
    test(`${name} has no error and ${expected.length === 0 ? 'no warning' : "the warning of a package's GTIN"}`, () => {
      const category = findCategory(passport.category)
      assert.ok(category)
      const { errors, warnings } = validateData(category, data, { strict: true })
      const told = warnings.map(({ path, code }) => `${path.join('.')} ${code}`)
      assert.deepEqual({ errors, told }, { errors: [], told: expected })
    })
  }

  test('one product has the GTIN of a package, and all others the GTIN of a piece', () => {
    const special = DEMO_PASSPORTS.flatMap(({ data: { sku, gtin } }) => {
      const kind = typeof gtin === 'string' ? classifyGtin(gtin)?.kind : undefined
      return kind === undefined ? [] : [{ sku, gtin, kind }]
    })
    assert.deepEqual(special, [{ sku: 'ISV-R41-8', gtin: PACKAGE_GTIN, kind: 'package' }])
  })
})
