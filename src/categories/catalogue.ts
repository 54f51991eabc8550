/** Which categories there are, each with the shared fields around its own. A new category is one file and one line here. */
import { battery } from './battery.ts'
import { type Category, CLOSING_SECTIONS, END_OF_LIFE, type SectionHeading } from './field.ts'
import { furniture } from './furniture.ts'
import { SHARED_HEAD, SHARED_TAIL } from './shared.ts'
import { textile } from './textile.ts'

/** A category with all the fields of its passports, in the order in which they are shown. */
export type CompleteCategory = Readonly<Category> & { readonly sections: readonly SectionHeading[] }

/** The shared fields around the category's own. Throws when two fields have one name, or a field's section is unknown. */
export function completeCategory(category: Category): CompleteCategory {
  const fields = [...SHARED_HEAD, ...category.fields, ...SHARED_TAIL]
  const names = fields.map(field => field.name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new Error(`category ${category.id} has two fields named ${twice}`)
  const own = category.sections ?? []
  const sections = own.includes(END_OF_LIFE) ? own : [...own, END_OF_LIFE]
  const anchors = ['head', ...[...sections, ...CLOSING_SECTIONS].map(({ anchor }) => anchor)]
  const lost = fields.find(({ section }) => section !== undefined && !anchors.includes(section))
  if (lost !== undefined) throw new Error(`category ${category.id} has no section ${lost.section}`)
  return { ...category, fields, sections }
}

const CATEGORIES: readonly CompleteCategory[] = [textile, battery, furniture].map(completeCategory)

export const allCategories = (): readonly CompleteCategory[] => CATEGORIES

export const findCategory = (id: string): CompleteCategory | undefined =>
  CATEGORIES.find(category => category.id === id)
