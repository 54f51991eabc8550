/** Lists the sections of a page. A field without one gets its own, so that new fields always appear. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { CLOSING_SECTIONS, type Field, type SectionHeading } from '../../categories/field.ts'

type PageSection = {
  /** The anchor in the address. Never change it, because it is printed and linked to. */
  anchor: string
  /** Undefined: the title is the label of the only field. */
  title: SectionHeading['title'] | undefined
  fields: readonly Field[]
}

/** In the order of the page, each with at least one field. */
export function listSections(category: CompleteCategory): readonly PageSection[] {
  const { fields } = category
  const addFields = (section: SectionHeading): PageSection => ({
    ...section,
    fields: fields
      .filter(field => field.section === section.anchor)
      .sort((a, b) => (a.sectionOrder ?? 0) - (b.sectionOrder ?? 0)),
  })
  const rest = fields
    .filter(field => field.section === undefined)
    .map(field => ({ anchor: toKebabCase(field.name), title: undefined, fields: [field] }))
  return [...category.sections.map(addFields), ...rest, ...CLOSING_SECTIONS.map(addFields)].filter(
    section => section.fields.length > 0,
  )
}

const toKebabCase = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
