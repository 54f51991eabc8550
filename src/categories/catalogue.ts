/** Which categories there are, each with the shared fields around its own. A new category is one file and one line here. */
import { battery } from './battery.ts'
import type { Category, Field } from './field.ts'
import { furniture } from './furniture.ts'
import { SHARED_HEAD, SHARED_TAIL } from './shared.ts'
import { textile } from './textile.ts'

/** A category with all the fields of its passports, in the order in which they are shown. */
export type CompleteCategory = {
  readonly id: string
  readonly title: string
  readonly schemaVersion: number
  readonly fields: readonly Field[]
}

/** The shared fields around the category's own. Throws when two fields have one name. */
export function completeCategory(category: Category): CompleteCategory {
  const fields = [...SHARED_HEAD, ...category.fields, ...SHARED_TAIL]
  const names = fields.map(field => field.name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new Error(`category ${category.id} has two fields named ${twice}`)
  return { ...category, fields }
}

const CATEGORIES: readonly CompleteCategory[] = [textile, battery, furniture].map(completeCategory)

export const allCategories = (): readonly CompleteCategory[] => CATEGORIES

export const findCategory = (id: string): CompleteCategory | undefined =>
  CATEGORIES.find(category => category.id === id)
