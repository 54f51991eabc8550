/** The categories with the shared fields. A new category is one file and one line here. */
import { battery } from './battery.ts'
import { type Category, CLOSING_SECTIONS, END_OF_LIFE, type SectionHeading } from './field.ts'
import { furniture } from './furniture.ts'
import { SHARED_HEAD, SHARED_TAIL } from './shared.ts'
import { textile } from './textile.ts'

/** A category with all the fields of its passports, in the order in which they are shown. */
export type CompleteCategory = Readonly<Category> & { readonly sections: readonly SectionHeading[] }

/** Adds the shared fields. Throws if two fields have the same name, or a field's section is unknown. */
export function completeCategory(category: Category): CompleteCategory {
  const fields = [...SHARED_HEAD, ...category.fields, ...SHARED_TAIL]
  const names = fields.map(field => field.name)
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined) throw new Error(`category ${category.id} has two fields named ${duplicate}`)
  const own = category.sections ?? []
  const sections = own.includes(END_OF_LIFE) ? own : [...own, END_OF_LIFE]
  const anchors = ['head', ...[...sections, ...CLOSING_SECTIONS].map(({ anchor }) => anchor)]
  const misplaced = fields.find(({ section }) => section !== undefined && !anchors.includes(section))
  if (misplaced !== undefined) throw new Error(`category ${category.id} has no section ${misplaced.section}`)
  return { ...category, fields, sections }
}

const CATEGORIES: readonly CompleteCategory[] = [textile, battery, furniture].map(completeCategory)

export const allCategories = (): readonly CompleteCategory[] => CATEGORIES

export const findCategory = (id: string): CompleteCategory | undefined =>
  CATEGORIES.find(category => category.id === id)
