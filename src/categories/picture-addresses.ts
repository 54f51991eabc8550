/** The addresses of pictures, which documents have and the data has not. */
import { asObject, type DataObject } from '../kernel/values/data-object.ts'
import type { CompleteCategory } from './catalogue.ts'
import type { Field } from './field.ts'

/** Read-only: what documents say of a picture beside its own members. */
const PICTURE_ADDRESS: Field = {
  name: 'url',
  type: 'name',
  description: 'Address of the picture.',
  format: 'url',
  term: 'schema:contentUrl',
}

/** The members of a list's entries in documents. */
export const listDocumentFields = ({ shape, of = [] }: Field): readonly Field[] =>
  shape === 'pictures' ? [...of, PICTURE_ADDRESS] : of

const listPictures = ({ fields }: CompleteCategory, data: DataObject) =>
  fields.flatMap(({ name, shape }) => {
    const entries = shape === 'pictures' ? data[name] : undefined
    return Array.isArray(entries) ? [{ name, entries: entries.map(asObject) }] : []
  })

/** Adds the address of each picture that has one. Returns the data itself if there is none. */
export function addPictureAddresses(
  category: CompleteCategory,
  data: DataObject,
  addresses: ReadonlyMap<string, string>,
): DataObject {
  if (addresses.size === 0) return data
  const added = listPictures(category, data).map(({ name, entries }) => [
    name,
    entries.map(entry => {
      const url = addresses.get(String(entry.media))
      return url === undefined ? entry : { ...entry, [PICTURE_ADDRESS.name]: url }
    }),
  ])
  return { ...data, ...Object.fromEntries(added) }
}
