/** The addresses of documents that Carnet stores: an entry that names its file needs no `url`. */
import { type DataObject, isObject } from '../kernel/values/data-object.ts'
import { perObject } from '../kernel/values/memo.ts'
import type { CompleteCategory } from './catalogue.ts'

/** `publicUrl`: without a trailing slash. */
export const buildDocumentUrl = (publicUrl: string, media: string): string => `${publicUrl}/d/${media}`

/** A list whose entries have a file, an address, or both. */
type DocumentList = { list: string; file: string; url: string }

const listDocumentLists = perObject(({ fields }: CompleteCategory): DocumentList[] =>
  fields.flatMap(({ name: list, of = [] }) => {
    const file = of.find(({ format }) => format === 'document_id')?.name
    const url = of.find(({ format }) => format === 'url')?.name
    return file === undefined || url === undefined ? [] : [{ list, file, url }]
  }),
)

type Entry = Record<string, unknown>

/** Returns the data itself if nothing changes. */
function mapDocuments(
  category: CompleteCategory,
  data: DataObject,
  change: (entry: Entry, names: DocumentList) => Entry,
): DataObject {
  let changed: Record<string, unknown> | undefined
  for (const names of listDocumentLists(category)) {
    const entries = data[names.list]
    if (!Array.isArray(entries)) continue
    const after = entries.map(entry =>
      isObject(entry) && typeof entry[names.file] === 'string' ? change(entry, names) : entry,
    )
    if (after.every((entry, i) => entry === entries[i])) continue
    changed ??= { ...data }
    changed[names.list] = after
  }
  return changed ?? data
}

/**
 * Adds the address of each document that has a file and no address of its own. A file that was withdrawn has
 * no address any more, whoever wrote it.
 */
export const addDocumentUrls = (
  publicUrl: string,
  category: CompleteCategory,
  data: DataObject,
  withdrawn: { has(id: string): boolean } = NONE,
): DataObject =>
  mapDocuments(category, data, (entry, { file, url }) => {
    const address = buildDocumentUrl(publicUrl, String(entry[file]))
    if (withdrawn.has(String(entry[file]))) {
      const { [url]: own, ...rest } = entry
      return own === address ? rest : entry
    }
    return entry[url] === undefined ? { ...entry, [url]: address } : entry
  })

const NONE = new Set<string>()

/** Removes what `addDocumentUrls` added, from data that somebody has read and sends back. */
export const removeDocumentUrls = (
  publicUrl: string,
  category: CompleteCategory,
  data: DataObject,
): DataObject =>
  mapDocuments(category, data, (entry, { file, url }) => {
    if (entry[url] !== buildDocumentUrl(publicUrl, String(entry[file]))) return entry
    const { [url]: _, ...rest } = entry
    return rest
  })
