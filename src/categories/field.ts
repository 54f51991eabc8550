/** The field table: a category is a list of fields, which validation, pages, forms and exports read. */
import type { Labels } from '../i18n/catalogue.ts'

export const AUDIENCES = ['public', 'legitimate_interest', 'authority'] as const
export type Audience = (typeof AUDIENCES)[number]

export const PROTECTED: readonly Audience[] = ['legitimate_interest', 'authority']
export const LEGITIMATE_INTEREST: readonly Audience[] = ['legitimate_interest']
export const AUTHORITY: readonly Audience[] = ['authority']

/** The words of an entry for who may see it, in a list with `audienceMember`. Without a value: `public`. */
export const ENTRY_AUDIENCES = {
  public: AUDIENCES,
  restricted: PROTECTED,
  authority: AUTHORITY,
} as const satisfies Record<string, readonly Audience[]>

/**
 * `name` is a short line of text (1 to 500 characters), `text` a long one (1 to 10,000), `object` has
 * `fields`, `list` has `of`: the fields of each entry, or one unnamed scalar.
 */
type FieldType = 'name' | 'text' | 'number' | 'boolean' | 'object' | 'list'

/** Named checks beyond the type: `schema/formats.ts`. */
export type Format =
  | 'gtin'
  | 'gln'
  | 'eori'
  | 'cas'
  | 'ec_number'
  | 'cn_or_hs'
  | 'country'
  | 'language'
  | 'url'
  | 'email'
  | 'partial_date'
  | 'carbon_class'
  | 'sha256'
  | 'picture_id'
  | 'document_id'

/**
 * How a list is drawn; absent means a table, or a composition if its shares add up to 100. `statement`: an
 * object of a sentence, its source and the address of that.
 */
type Figure = 'composition' | 'chain' | 'documents' | 'statement' | 'table'

/** The key fact at the top of a page that the field answers, alone or with another. */
export type Fact = 'madeOf' | 'madeWhere' | 'repairable' | 'spareParts' | 'endOfLife'

/** JSON-LD shape, where schema.org says more than a plain term: see `src/site/json-ld/shapes.ts`. */
export type JsonLdShape =
  | 'brand'
  | 'country_of_origin'
  | 'dimensions'
  | 'documents'
  | 'envelope'
  | 'materials'
  | 'operator_role'
  | 'organization'
  | 'pictures'
  | 'quantity'
  | 'street_address'

export type Field = {
  name: string
  type: FieldType
  /** One English sentence for integrators: the content, with its unit if any. */
  description: string
  required?: true
  /**
   * The schema version that added it; default: the first. In the data of an older version, a top-level key of
   * this name is free-form.
   */
  since?: number
  /** The schema version that made it required; default: the first. Older passports get a warning. */
  requiredSince?: number
  /** Texts by language code; the primary language is required. Only with type `text` or `name`. */
  localized?: true
  /** Who may see it; absent means everyone. */
  audience?: readonly Audience[]
  /** Who may see it according to the law, if others than `audience`. An account chooses. */
  lawAudience?: readonly Audience[]
  values?: readonly string[]
  /** Free text, in which names in 24 languages are recognised: `names/recognise-names.ts`. */
  dictionary?: 'fibres'
  /** Later schema versions may add `values`; unlisted values are refused. */
  open?: true
  /** A `name` that may have several lines. */
  lines?: true
  unit?: string
  format?: Format
  min?: number
  max?: number
  maxItems?: number
  /** The entries' member of this name must add up to exactly 100. Only on a list of objects. */
  sumsTo100?: string
  /** Each entry needs one of these members at least. Only on a list of objects. */
  needsOneOf?: readonly string[]
  /** The entries' member of this name says who may see the entry: a value of `ENTRY_AUDIENCES`. */
  audienceMember?: string
  /** Members of an object. */
  fields?: readonly Field[]
  /** Entries of a list: the members of each, or one scalar field named `''`. */
  of?: readonly Field[]
  /**
   * Anchor of its section on the page, or `head`. Only for a top-level field; without an anchor, the field
   * gets its own section after those of the category.
   */
  section?: string
  /** Order within its section, as in CSS: absent means 0, and equal ones keep the order of the table. */
  sectionOrder?: number
  figure?: Figure
  /** The top-level field whose value it describes. A page of a unit with another value omits it. */
  about?: string
  fact?: Fact
  shape?: JsonLdShape
  /** JSON-LD class of its node, or of each entry of a list. Default: its capitalised name. */
  nodeClass?: string
  /** JSON-LD term of a general vocabulary, as a compact IRI (`schema:name`). Default: `dpp:` + name. */
  term?: string
  /**
   * Its entry in the dictionary of documents of EN 18223, if it shares its own name with a field of another
   * meaning or unit: an entry has one unit. Default: `standards/en18223/dictionary.ts`.
   */
  dictionaryEntry?: string
  /** An empty list is an answer: there are none. Only on a list. */
  emptyMeansNone?: true
  /** Keys of the sources of its file that it rests on. */
  source?: readonly string[]
}

/** A heading of the page. Its anchor is printed and linked to: never change it. */
export type SectionHeading = { anchor: string; title: Extract<keyof Labels['ui'], `section.${string}`> }

/** A category may place this section among its own; otherwise it follows them. */
export const END_OF_LIFE: SectionHeading = { anchor: 'end-of-life', title: 'section.endOfLife' }

/** The last sections of every page. */
export const CLOSING_SECTIONS: readonly SectionHeading[] = [
  { anchor: 'operator', title: 'section.operator' },
  { anchor: 'documents', title: 'section.documents' },
]

export type Category = {
  id: string
  title: string
  /** Increases with every change of the fields. A passport stores the version it was validated with. */
  schemaVersion: number
  /** Category fields only; the shared ones are added by the catalogue. */
  fields: readonly Field[]
  /** In the order of the page. */
  sections?: readonly SectionHeading[]
}

/** Narrows the parent's audiences (`AUDIENCES` at the top) to those that may see the field. */
export const narrowAudience = (outer: readonly Audience[], field: Field): readonly Audience[] =>
  field.audience === undefined ? outer : outer.filter(one => field.audience?.includes(one))

/** The audience of the field at a path such as `spareParts.partNumber`; undefined if no field is there. */
export function findAudience(
  fields: readonly Field[],
  [name, ...rest]: readonly string[],
  outer: readonly Audience[] = AUDIENCES,
): readonly Audience[] | undefined {
  const field = fields.find(one => one.name === name)
  if (field === undefined) return undefined
  const audience = narrowAudience(outer, field)
  return rest.length === 0 ? audience : findAudience(field.fields ?? field.of ?? [], rest, audience)
}

/** The unnamed field of the entries of a scalar list; undefined for a list of objects. */
export const findScalarEntry = (list: Field): Field | undefined =>
  list.of?.length === 1 && list.of[0]?.name === '' ? list.of[0] : undefined
