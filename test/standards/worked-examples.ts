/** The worked examples: three passports with invented names, and the documents that they must become. */
import { readFileSync } from 'node:fs'
import { findCategory } from '../../src/categories/catalogue.ts'
import { disclose } from '../../src/categories/disclose.ts'
import type { Audience } from '../../src/categories/field.ts'
import type { Publisher, Reading } from '../../src/standards/reading.ts'
import { freeze } from '../categories/examples.ts'
import passports from './examples/passports.json' with { type: 'json' }

const PUBLIC_URL = 'https://passports.example.org'

export const PUBLISHER = {
  publicUrl: PUBLIC_URL,
  nsUrl: `${PUBLIC_URL}/ns/dpp`,
  did: 'did:web:passports.example.org:issuers:k7m2q9x4t6v8',
} as const satisfies Publisher

/** The text of a file beside this one. */
export const readExample = (file: string): string =>
  readFileSync(new URL(`examples/${file}`, import.meta.url), 'utf8')

/** A JSON file beside this one. */
// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
export const parseExample = (file: string): any => JSON.parse(readExample(file))

/** Throws without such a category. */
export function requireCategory(id: string) {
  const category = findCategory(id)
  if (category === undefined) throw new Error(`no category ${id}`)
  return category
}

const buildAddresses = (id: string, gs1Path: string) => ({
  id,
  url: `${PUBLIC_URL}/p/${id}`,
  gs1Url: `${PUBLIC_URL}/01/${gs1Path}`,
})

type Fixed = Omit<Reading, 'category' | 'data' | 'audience' | 'status' | 'outdated' | 'schemaVersion'>

const FIXED = {
  textile: {
    ...buildAddresses('01m45m2vp0fqh9ek41pvnj0nca', '09506000134352/10/L2026-09/21/A0001'),
    level: 'item',
    gtin: '9506000134352',
    lot: 'L2026-09',
    serial: 'A0001',
    versionNo: 2,
    changedAt: new Date('2026-11-02T09:14:05.120Z'),
    lastUpdated: new Date('2026-11-02T09:14:05.120Z'),
    model: buildAddresses('01m45h7a00eec8t0hqdjgxc2t0', '09506000134352'),
    batch: buildAddresses('01m45k4b40f2yv49twj73fpc35', '09506000134352/10/L2026-09'),
    primaryLanguage: 'en',
    versionCommitment: 'ZtC6dq4bm6eas6aoGbQ6oOt_SVplRxEDZOl3sV3ZXyw',
  },
  battery: {
    ...buildAddresses('01m45nzwt0ewpa35pb00tpn7ym', '09521234543213/21/BP-000184'),
    level: 'item',
    gtin: '09521234543213',
    lot: null,
    serial: 'BP-000184',
    versionNo: 3,
    changedAt: new Date('2026-11-18T16:40:00.000Z'),
    lastUpdated: new Date('2026-11-18T16:40:00.000Z'),
    model: buildAddresses('01m45n1c80e83vrwd6vc84aynf', '09521234543213'),
    batch: null,
    primaryLanguage: 'en',
    versionCommitment: 'YUl4pD9m75pdxH8Gcs1fY1FnEt2E1X7Mto9YXjE_z8Q',
  },
  furniture: {
    ...buildAddresses('01m45pydc0fh8rdezg4nd8zh7s', '09521234543220'),
    level: 'model',
    gtin: '09521234543220',
    lot: null,
    serial: null,
    versionNo: 1,
    changedAt: new Date('2026-10-21T07:05:33.004Z'),
    lastUpdated: new Date('2026-10-21T07:05:33.004Z'),
    model: null,
    batch: null,
    primaryLanguage: 'de',
    versionCommitment: 'vw4j2oTzMI_HtbldpQu7rX5WPZgClI65CtfNezcLRAs',
  },
} satisfies Record<string, Fixed>

const DATA = {
  textile: passports.textileItem,
  battery: passports.batteryItem,
  furniture: passports.furnitureModel,
}

/** The example of a category as an audience sees it. `changes` replaces top-level fields; undefined removes. */
export function buildExampleReading(
  id: keyof typeof FIXED,
  { audience = 'public', changes = {} }: { audience?: Audience; changes?: Record<string, unknown> } = {},
): Reading {
  const category = requireCategory(id)
  const { data } = disclose(category, { ...DATA[id], ...changes }, audience)
  return freeze({
    ...FIXED[id],
    category,
    status: 'active',
    outdated: false,
    schemaVersion: category.schemaVersion,
    audience,
    data,
  })
}
