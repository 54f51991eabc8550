/** Which document an entry is: by its type as people write it in 24 languages, else by its title. */
import documentTypes from '../../rules/document-types.json' with { type: 'json' }
import { normalizeName } from '../categories/names/name-lookup.ts'
import { type DataObject, getOwn } from '../kernel/values/data-object.ts'

const TYPE_BY_SPELLING: ReadonlyMap<string, string> = new Map(
  Object.entries(documentTypes).flatMap(([type, spellings]) =>
    [type, ...spellings].map(spelling => [normalizeName(spelling), type] as const),
  ),
)

export const isDocumentType = (type: string): boolean => Object.hasOwn(documentTypes, type)

/** Words before the number of a document or an act: "Nr.", "(EU)". */
const BEFORE_NUMBER = /^(?:no|nr|n|č|št|бр|αρ|\(\p{L}{2}\))[.°º]*$/iu

/** Also with numbers at its end: "EU-Konformitätserklärung Nr. 12 (EU) 2023/1542". */
function findDocumentType(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const words = text.split(/\s+/)
  for (;;) {
    const found = TYPE_BY_SPELLING.get(normalizeName(words.join(' ')))
    const last = words.pop()
    if (found !== undefined || last === undefined) return found
    if (!/\p{N}/u.test(last) && !BEFORE_NUMBER.test(last)) return undefined
  }
}

/** `key`: the member with the type. The title counts if the type is none that we know. */
export const hasDocumentType = (entry: DataObject, key: string, type: string): boolean =>
  (findDocumentType(getOwn(entry, key)) ?? findDocumentType(getOwn(entry, 'title'))) === type
