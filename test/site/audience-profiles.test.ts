/**
 * Tests what a reader can find out about fields that they may not see, for every category, audience, profile
 * and schema version: two passports that differ in nothing else must have the same outputs.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AUDIENCE_PROFILES, type AudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { disclose } from '../../src/categories/disclose.ts'
import { AUDIENCES, type Audience } from '../../src/categories/field.ts'
import { parseDigitalLink } from '../../src/gs1/digital-link.ts'
import { applyAudienceProfile } from '../../src/passports/read/disclosed-category.ts'
import type { PublicPassportRow } from '../../src/passports/read/find.ts'
import { buildShopSnippet } from '../../src/passports/read/shop-snippet.ts'
import { renderJsonLd } from '../../src/site/json-ld/document.ts'
import { buildPassportView } from '../../src/site/page/passport-view.ts'
import { renderLinkset } from '../../src/site/resolver/linkset.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES, type CORES } from '../harness.ts'
import { MADE_AT, renderPage, rowOf } from './passport-views.ts'
import { type Leaf, listLeaves, plant, plantScalar } from './planted.ts'

const PASSPORTS = IS_FULL ? 10_000 : 180
const GTIN = '09521001200370'

type Reader = {
  category: CompleteCategory
  profile: AudienceProfile
  audience: Audience
  schemaVersion: number
}

/** Every reader in turn. */
const READERS: readonly Reader[] = allCategories().flatMap(category =>
  AUDIENCE_PROFILES.flatMap(profile =>
    AUDIENCES.flatMap(audience =>
      Array.from({ length: category.schemaVersion }, (_, i) => ({
        category: applyAudienceProfile(category, profile),
        profile,
        audience,
        schemaVersion: i + 1,
      })),
    ),
  ),
)

/** Values for the reader have the number `seen`, everything else `hidden`. */
const plantFor = ({ category, audience, schemaVersion }: Reader, seen: number, hidden: number) =>
  plant(category.fields, leaf => (leaf.audience.includes(audience) ? seen : hidden), { schemaVersion })

/** The same row each time but for the data. */
const rowFor = ({ category, profile, schemaVersion }: Reader, data: object): PublicPassportRow => ({
  ...ROWS[category.id as keyof typeof CORES],
  schema_version: schemaVersion,
  audience_profile: profile,
  data: JSON.stringify({ ...data, 'free form': data }),
})

const ROWS = {
  textile: rowOf('textile', { gtin: GTIN }, { version_no: 2 }),
  battery: rowOf('battery', { gtin: GTIN }, { version_no: 2 }),
  furniture: rowOf('furniture', { gtin: GTIN }, { version_no: 2 }),
}

const HISTORY = { versions: [{ versionNo: 2, kind: 'correction', at: MADE_AT } as const], total: 2 }
const LINK = parseDigitalLink(`/01/${GTIN}`)

/** Everything that a reader gets of a passport: with a correction that the passport lacks, and without. */
function renderAll(reader: Reader, data: object, corrected: object): Record<string, string> {
  assert.ok(!('error' in LINK))
  const { audience, schemaVersion } = reader
  const row = rowFor(reader, data)
  const pending = { before: data, after: corrected, correctedBy: 'model' as const, schemaVersion } as never
  const current = buildPassportView(ADDRESSES, row, HISTORY, audience, 2)
  const earlier = buildPassportView(ADDRESSES, { ...row, version_no: 1 }, HISTORY, audience, 2)
  const unit = { ...row, level: 'i', serial: 'S1', parent_id: row.model_id, outdated: true } as const
  const outdated = buildPassportView(ADDRESSES, unit, HISTORY, audience, 2, pending)
  // The page names the first of them only.
  const corrections = outdated.correction?.changes ?? []
  assert.ok(corrections.length > 5)
  return {
    page: renderPage(current, 'en'),
    earlier: renderPage(earlier, 'de'),
    outdated: renderPage(outdated, 'en'),
    corrections: JSON.stringify(corrections),
    jsonld: renderJsonLd(current, 'https://carnet.example/ns/dpp'),
    ...(audience === 'public' && {
      snippet: JSON.stringify(buildShopSnippet(ADDRESSES, { ...row, recalls: [] })),
      linkset: renderLinkset(ADDRESSES, { link: LINK, rawPath: `/01/${GTIN}` }, [row], {
        formats: [],
        offers: [],
        backupBaseUrl: null,
      }),
    }),
  }
}

const nameOf = ({ category, profile, audience, schemaVersion }: Reader) =>
  `${category.id} ${profile} ${audience} v${schemaVersion}`

describe('a field that a reader may not see', () => {
  test(`changes nothing that they get, of ${PASSPORTS} passports`, () => {
    for (let n = 0; n < PASSPORTS; n++) {
      const reader = READERS[n % READERS.length]
      assert.ok(reader)
      const outputs = [2 * n + 1, 2 * n + 2].map(hidden =>
        renderAll(reader, plantFor(reader, n, hidden), plantFor(reader, n + 1, hidden + 100_000)),
      )
      assert.deepEqual(outputs[0], outputs[1], nameOf(reader))
    }
  })
})

describe('a field that only some readers see', () => {
  for (const reader of READERS) {
    test(`changes what they get: ${nameOf(reader)}`, () => {
      const { category, audience, schemaVersion } = reader
      const base = plantFor(reader, 1, 1)
      const leaves = listLeaves(category.fields, { schemaVersion }).filter(
        leaf => leaf.audience.length < AUDIENCES.length || isSwitched(leaf),
      )
      assert.ok(leaves.length > 0)
      const render = (data: object) =>
        renderJsonLd(
          buildPassportView(ADDRESSES, rowFor(reader, data), HISTORY, audience, 2),
          'https://carnet.example/ns/dpp',
        )
      const before = render(base)
      for (const leaf of leaves) {
        const changed = plant(category.fields, one => (samePath(one, leaf) ? findOther(leaf) : 1), {
          schemaVersion,
        })
        assert.notDeepEqual(changed, base)
        assert.equal(render(changed) !== before, leaf.audience.includes(audience), leaf.path.join('.'))
      }
    })
  }
})

const samePath = (a: Leaf, b: Leaf) => a.path.join('.') === b.path.join('.')
const isSwitched = ({ field }: Leaf) => field.lawAudience !== undefined

/** A number whose value differs from that of 1. */
function findOther(leaf: Leaf): number {
  const first = JSON.stringify(plantScalar(leaf, 1))
  const found = Array.from({ length: 50 }, (_, i) => 2 * i + 3).find(
    n => JSON.stringify(plantScalar(leaf, n)) !== first,
  )
  return found ?? 2
}

describe('the audience profile', () => {
  const readersOf = (profile: AudienceProfile, name: string) => {
    const battery = allCategories().find(({ id }) => id === 'battery')
    assert.ok(battery)
    const category = applyAudienceProfile(battery, profile)
    const data = { stateOfHealth: 97, dueDiligenceUrl: 'https://planted.example' }
    return AUDIENCES.filter(audience => Object.hasOwn(disclose(category, data, audience).data, name))
  }
  test('law has the audiences of Regulation (EU) 2023/1542, contract those of the field table', () => {
    assert.deepEqual(readersOf('contract', 'stateOfHealth'), ['authority'])
    assert.deepEqual(readersOf('law', 'stateOfHealth'), ['legitimate_interest'])
    assert.deepEqual(readersOf('contract', 'dueDiligenceUrl'), ['legitimate_interest', 'authority'])
    assert.deepEqual(readersOf('law', 'dueDiligenceUrl'), [...AUDIENCES])
  })

  test('contract leaves the category as it is', () => {
    for (const category of allCategories()) assert.equal(applyAudienceProfile(category, 'contract'), category)
  })
})
