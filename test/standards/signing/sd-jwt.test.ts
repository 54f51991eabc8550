/** SD-JWT VC: three readings of one signature. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { allCategories, applyLaw, findCategory } from '../../../src/categories/catalogue.ts'
import {
  AUDIENCES,
  type Audience,
  type Field,
  findAudience,
  findScalarEntry,
} from '../../../src/categories/field.ts'
import { createKeyFinder } from '../../../src/standards/signing/did-document.ts'
import { signJws } from '../../../src/standards/signing/jws.ts'
import { verifySdJwt } from '../../../src/standards/signing/read-sd-jwt.ts'
import { buildSdJwt, presentSdJwt, SD_JWT, type SdJwtInput } from '../../../src/standards/signing/sd-jwt.ts'
import { readExample, TEST_DID, testSigner } from '../signing-examples.ts'

type SdJwtExample = {
  payload: Record<string, unknown>
  presentations: Record<Audience, string>
  disclosures: { name: string; audience: Audience[] }[]
}
const example = readExample<SdJwtExample>('sd-jwt-battery-item')
const findKey = createKeyFinder(readExample('did-example'))
const withCode = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code

const category = findCategory('textile')
assert.ok(category)
const INPUT: SdJwtInput = {
  issuer: TEST_DID,
  issuedAt: new Date('2026-11-20T10:00:00Z'),
  expiresAt: new Date('2027-02-15T00:00:00Z'),
  type: 'https://passports.example.org/ns/dpp/textile/v2',
  header: { digitalProductPassportId: 'https://passports.example.org/p/01m45m2vp0fqh9ek41pvnj0nca' },
  passportId: '01m45m2vp0fqh9ek41pvnj0nca',
  versionNo: 2,
  fields: category.fields,
  data: {
    productName: 'Merino T-shirt',
    economicOperator: { legalName: 'Nordfaden GmbH', eori: 'DE123456789012345' },
    supplyChainStages: [
      { stage: 'spinning', country: 'IT', facilityName: 'Filatura' },
      { stage: 'knitting', country: 'PT' },
    ],
    careInstructions: [{ value: 'Wash at 30 °C.', language: 'en' }],
  },
  commitKey: Buffer.alloc(32, 7),
  status: { listUrl: 'https://passports.example.org/issuers/k7m2q9x4t6v8/status/1/token', index: 500 },
}

async function issue(changes: Partial<SdJwtInput> = {}) {
  const { payload, disclosures } = buildSdJwt({ ...INPUT, ...changes })
  const jwt = await signJws(payload, SD_JWT, testSigner)
  const present = (audience: Audience) => presentSdJwt(jwt, disclosures, audience)
  return {
    jwt,
    payload,
    disclosures,
    present,
    read: (one: Audience) => verifySdJwt(present(one), findKey).claims,
  }
}

describe('the example', () => {
  test('is read by each audience', () => {
    for (const audience of AUDIENCES) {
      const { claims, disclosed } = verifySdJwt(example.presentations[audience], findKey)
      const names = example.disclosures.filter(one => one.audience.includes(audience)).map(one => one.name)
      const { _sd, _sd_alg, ...open } = example.payload
      assert.equal(disclosed, names.length)
      assert.deepEqual(Object.keys(claims).sort(), [...Object.keys(open), ...names].sort())
    }
    assert.equal(verifySdJwt(example.presentations.authority, findKey).claims.stateOfHealth, 98.5)
  })
})

describe('one signature', () => {
  test('has three readings', async () => {
    const { read } = await issue()
    const open = {
      iss: TEST_DID,
      iat: 1_795_168_800,
      exp: Date.parse('2027-02-15T00:00:00Z') / 1000,
      vct: INPUT.type,
      ...INPUT.header,
      versionNo: 2,
      status: { status_list: { idx: 500, uri: INPUT.status?.listUrl } },
    }
    const { productName, careInstructions, economicOperator, supplyChainStages } = INPUT.data
    assert.deepEqual(read('authority'), {
      ...open,
      productName,
      careInstructions,
      economicOperator,
      supplyChainStages,
    })
    const stages = [
      { stage: 'spinning', country: 'IT' },
      { stage: 'knitting', country: 'PT' },
    ]
    const operator = { legalName: 'Nordfaden GmbH' }
    assert.deepEqual(read('public'), {
      ...open,
      productName,
      careInstructions,
      economicOperator: operator,
      supplyChainStages: stages,
    })
    assert.deepEqual(read('legitimate_interest').economicOperator, operator)
    assert.deepEqual(read('legitimate_interest').supplyChainStages, supplyChainStages)
  })

  test('has no text of a hidden value', async () => {
    const { present } = await issue()
    const decode = (text: string) =>
      text
        .split(/[.~]/)
        .map(part => Buffer.from(part, 'base64url').toString())
        .join('\n')
    assert.match(decode(present('public')), /Merino/)
    assert.doesNotMatch(decode(present('public')), /DE123456789012345|Filatura|eori|facilityName/)
    assert.match(decode(present('authority')), /DE123456789012345/)
  })

  test('can be made again without what was stored', async () => {
    const [first, again] = [await issue(), await issue()]
    assert.deepEqual(first.payload, again.payload)
    assert.deepEqual(first.disclosures, again.disclosures)
    for (const changes of [{ versionNo: 3 }, { passportId: 'x' }, { commitKey: Buffer.alloc(32, 8) }]) {
      const digests = new Set((await issue(changes)).payload[SD_JWT.digests] as string[])
      assert.ok((first.payload[SD_JWT.digests] as string[]).every(digest => !digests.has(digest)))
    }
  })
})

describe('each field of each category', () => {
  /** A passport that has every field; each scalar is its own path between at signs. */
  const fillFields = (fields: readonly Field[], path: string): Record<string, unknown> =>
    Object.fromEntries(fields.map(field => [field.name, fillField(field, `${path}/${field.name}`)]))
  function fillField(field: Field, path: string): unknown {
    if (field.localized) return [{ value: `@${path}@`, language: 'en' }]
    if (field.type === 'object') return fillFields(field.fields ?? [], path)
    if (field.type !== 'list') return `@${path}@`
    // Without a word about its readers, an entry is everybody's.
    const members = field.of?.filter(({ name }) => name !== field.audienceMember) ?? []
    return findScalarEntry(field) === undefined ? [fillFields(members, path)] : [`@${path}@`]
  }
  const listMarks = (text: string) => [...new Set(text.match(/@\/[\w/]+@/g))].sort()

  const variants = allCategories().flatMap(one => [one, applyLaw(one)])
  for (const [i, { id, fields }] of variants.entries()) {
    test(`reaches its audiences only: ${id}, by ${i % 2 === 0 ? 'contract' : 'law'}`, async () => {
      const data = fillFields(fields, '')
      const marks = listMarks(JSON.stringify(data))
      const { present, read } = await issue({ fields, data })
      for (const audience of AUDIENCES) {
        const sent = present(audience)
          .split(/[.~]/)
          .map(part => Buffer.from(part, 'base64url').toString())
        const allowed = marks.filter(mark =>
          findAudience(fields, mark.slice(2, -1).split('/'))?.includes(audience),
        )
        assert.deepEqual(listMarks(sent.join()), allowed)
        assert.deepEqual(listMarks(JSON.stringify(read(audience))), allowed)
      }
    })
  }

  test('reaches those whom its entry names, where entries say so', async () => {
    const { fields } = variants[0] ?? assert.fail()
    const documents = ['authority', 'restricted', 'public'].map(access => ({ type: `@/${access}@`, access }))
    const { present, read } = await issue({ fields, data: { documents } })
    const expected = {
      public: ['public'],
      legitimate_interest: ['public', 'restricted'],
      authority: ['public', 'restricted', 'authority'],
    }
    for (const audience of AUDIENCES) {
      const sent = present(audience)
        .split(/[.~]/)
        .map(part => Buffer.from(part, 'base64url').toString())
      const allowed = expected[audience].map(access => `@/${access}@`)
      assert.deepEqual(listMarks(sent.join()), allowed.toSorted())
      const { documents: seen } = read(audience) as { documents?: { type: string }[] }
      assert.deepEqual(
        seen?.map(({ type }) => type),
        allowed,
      )
    }
    const hidden = await issue({ fields, data: { documents: documents.slice(0, 1) } })
    assert.equal('documents' in (hidden.read('public') as object), false)
  })

  test('needs to be known where others are hidden', () => {
    const data = { economicOperator: { legalName: 'A', eoriNumber: 'DE123456789012345' } }
    assert.throws(() => buildSdJwt({ ...INPUT, data }), /only members of the category/)
  })
})

describe('digests', () => {
  const listDigests = (value: unknown): string[][] => {
    if (Array.isArray(value)) return value.flatMap(listDigests)
    if (typeof value !== 'object' || value === null) return []
    const own = '_sd' in value && Array.isArray(value._sd) ? [value._sd] : []
    return [
      ...own,
      ...Object.entries(value).flatMap(([name, one]) => (name === '_sd' ? [] : listDigests(one))),
    ]
  }
  const readParts = (encoded: string): unknown[] => JSON.parse(Buffer.from(encoded, 'base64url').toString())

  test('are sorted, and as many as the category has fields, whatever the passport has', async () => {
    for (const data of [INPUT.data, { productName: 'a' }, {}]) {
      const digests = (await issue({ data })).payload[SD_JWT.digests] as string[]
      assert.equal(digests.length, INPUT.fields.length)
      assert.deepEqual(digests, [...digests].sort())
      assert.ok(digests.every(digest => /^[\w-]{43}$/.test(digest)))
    }
  })

  test('inside of values do not tell which members are hidden', async () => {
    const lists = async (eori: object) => {
      const { disclosures } = await issue({ data: { economicOperator: { legalName: 'A', ...eori } } })
      const operator = disclosures
        .map(one => readParts(one.encoded))
        .find(([, name]) => name === 'economicOperator')
      return listDigests(operator).map(list => list.length)
    }
    assert.deepEqual(await lists({ eori: 'DE123456789012345' }), await lists({}))
    assert.deepEqual((await lists({})).length, 1)
  })

  test('of a list do not tell how many entries are hidden, nor where', async () => {
    const { fields } = findCategory('textile') ?? assert.fail()
    const readEntries = async (accesses: readonly string[], audience: Audience) => {
      const documents = accesses.map((access, i) => ({ title: `${i}`, access }))
      const { present, read } = await issue({ fields, data: { documents } })
      const titles = (read(audience).documents as { title: string }[]).map(one => one.title)
      const list = present(audience)
        .split('~')
        .slice(1, -1)
        .map(readParts)
        .find(([, name]) => name === 'documents')
      const entries = list?.[2] as { '...'?: string }[]
      const concealed = entries.flatMap(one => (one['...'] === undefined ? [] : [one['...']]))
      const shown = entries.length - concealed.length
      assert.ok(entries.slice(shown).every(one => one['...'] !== undefined))
      assert.ok(concealed.every(digest => /^[\w-]{43}$/.test(digest)))
      assert.equal(new Set(concealed).size, concealed.length)
      return { titles, entries: entries.length, concealed: concealed.length }
    }
    const repeat = (access: string, count: number) => Array.from({ length: count }, () => access)
    for (const hidden of [0, 1, 5, 11, 12]) {
      const accesses = ['public', ...repeat('authority', hidden), 'public']
      assert.deepEqual(await readEntries(accesses, 'public'), {
        titles: ['0', `${hidden + 1}`],
        entries: 14,
        concealed: 12,
      })
      const all = await readEntries(accesses, 'authority')
      const middle = Array.from({ length: hidden }, (_, i) => `${i + 1}`)
      assert.deepEqual(all.titles, ['0', `${hidden + 1}`, ...middle])
    }
    const accesses = [...repeat('restricted', 7), ...repeat('authority', 4), 'public']
    const some = await readEntries(accesses, 'legitimate_interest')
    assert.deepEqual([some.titles.length, some.concealed], [8, 12])
    assert.equal((await readEntries(['public', ...repeat('authority', 13)], 'public')).concealed, 36)
  })

  test('are of salted values, with 16 bytes of salt, each its own', async () => {
    const { disclosures, payload } = await issue()
    const salts = disclosures.map(one => String(readParts(one.encoded)[0]))
    assert.ok(salts.every(salt => Buffer.from(salt, 'base64url').length === 16))
    assert.equal(new Set(salts).size, salts.length)
    const [digest] = disclosures
      .filter(one => readParts(one.encoded)[1] === 'productName')
      .map(one => createHash('sha256').update(one.encoded).digest('base64url'))
    assert.ok((payload[SD_JWT.digests] as string[]).includes(digest ?? ''))
  })
})

describe('a presentation is refused', () => {
  const sign = (payload: Record<string, unknown>) => signJws(payload, SD_JWT, testSigner)
  const disclose = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const digestOf = (encoded: string) => createHash('sha256').update(encoded).digest('base64url')
  const refuses = (text: string, code: string) =>
    assert.throws(() => verifySdJwt(text, findKey), withCode(code), text)

  test('with a disclosure that was not signed, or twice', async () => {
    const { present } = await issue()
    refuses(`${present('public')}${disclose('salt', 'gtin', '1')}~`, 'malformed')
    const [jwt = '', first = ''] = present('public').split('~')
    refuses(`${jwt}~${first}~${first}~`, 'malformed')
    refuses(`${present('public')}e30`, 'malformed')
    refuses(`${present('public')}~`, 'malformed')
    refuses(jwt, 'malformed')
  })

  test('with digests or names that are there twice, or reserved', async () => {
    const hidden = disclose('salt', 'a', 1)
    const digest = digestOf(hidden)
    assert.deepEqual(verifySdJwt(`${await sign({ _sd: [digest] })}~${hidden}~`, findKey).claims, { a: 1 })
    refuses(`${await sign({ _sd: [digest, digest] })}~${hidden}~`, 'malformed')
    refuses(`${await sign({ _sd: [digest], b: { _sd: [digest] } })}~${hidden}~`, 'malformed')
    refuses(`${await sign({ _sd: [digest], a: 2 })}~${hidden}~`, 'malformed')
    refuses(`${await sign({ _sd: digest })}~`, 'malformed')
    refuses(`${await sign({ _sd: [digest], _sd_alg: 'sha-1' })}~${hidden}~`, 'malformed')
    for (const parts of [
      ['salt', '_sd', 1],
      ['salt', '...', 1],
      ['salt', 1],
      ['salt', 1, 1],
      [1, 'a', 1],
      [],
    ]) {
      const encoded = disclose(...parts)
      refuses(`${await sign({ _sd: [digestOf(encoded)] })}~${encoded}~`, 'malformed')
    }
  })

  test('of another type', async () => {
    refuses(`${await signJws({}, { type: 'vc+sd-jwt' }, testSigner)}~`, 'malformed')
  })

  test('but a name such as __proto__ is only a name', async () => {
    const hidden = '["salt","__proto__",{"a":1}]'
    const encoded = Buffer.from(hidden).toString('base64url')
    const { claims } = verifySdJwt(`${await sign({ _sd: [digestOf(encoded)] })}~${encoded}~`, findKey)
    assert.deepEqual([claims.a, Object.keys(claims)], [undefined, ['__proto__']])
  })
})
