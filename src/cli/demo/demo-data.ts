/** The demo's content, from `assets/demo/`: invented products, and an invented shop's brand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrandChange } from '../../accounts/brand/update-brand.ts'
import type { PassportChange } from '../../passports/write/update.ts'

/** `data` holds only what differs from the batch or model. */
export type DemoItem = { serial: string; data?: Record<string, unknown> }

/** `data` holds only what differs from the model. Items inherit it and the lot. */
type DemoBatch = { lot: string; data?: Record<string, unknown>; items?: readonly DemoItem[] }

/** A later update of the model, merged shallowly. */
type DemoUpdate = { note: string; change_type: PassportChange['changeType']; data: PassportChange['data'] }

/** One model with its units. The updates in `corrections` follow when the units exist. */
export type DemoPassport = {
  category: 'textile' | 'battery' | 'furniture'
  data: Record<string, unknown>
  batches?: readonly DemoBatch[]
  items?: readonly DemoItem[]
  corrections?: readonly DemoUpdate[]
  /** Leaves the units without the corrections, so that the demo shows outdated ones. */
  leavesUnitsOutdated?: true
}

const FOLDER = join(import.meta.dirname, '../../../assets/demo')
const readJson = (name: string) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))

/** `alt` has a text in the product's primary language at least. */
type DemoPicture = { file: string; alt: Record<string, string> }

const PICTURES: Readonly<Record<string, DemoPicture>> = readJson('pictures')

/** The picture of the model with this SKU; undefined for none. */
export function findDemoPicture(sku: string): (Pick<DemoPicture, 'alt'> & { bytes: Buffer }) | undefined {
  const picture = PICTURES[sku]
  return picture && { alt: picture.alt, bytes: readPictureFile(picture) }
}

const readPictureFile = ({ file }: DemoPicture) => readFileSync(join(FOLDER, 'pictures', `${file}.webp`))

export const DEMO_OFFERS: readonly object[] = readJson('offers')

export const DEMO_PASSPORTS: readonly DemoPassport[] = ['textiles', 'batteries', 'furniture'].flatMap(
  readJson,
)

/** How many passports of each level the demo has if its user has changed nothing. */
export function countDemoPassports() {
  const batches = DEMO_PASSPORTS.flatMap(passport => passport.batches ?? [])
  const items = [...DEMO_PASSPORTS, ...batches].flatMap(({ items = [] }) => items)
  return { models: DEMO_PASSPORTS.length, batches: batches.length, items: items.length }
}

const { logo, logoDark, ...brand } = readJson('brand')
export const DEMO_BRAND: BrandChange = { ...brand, logo: Buffer.from(logo), logoDark: Buffer.from(logoDark) }

type DemoStory = { text: object; links: readonly object[]; picture: DemoPicture }

const { picture, ...words }: DemoStory = readJson('story')
/** The block “From the brand”; its picture is stored first. */
export const DEMO_STORY = { ...words, picture: { alt: picture.alt, bytes: readPictureFile(picture) } }
