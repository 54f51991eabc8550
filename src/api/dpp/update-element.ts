/** UpdateDataElement: sets or removes one element, by its path in the compressed form. */

import { isDeepStrictEqual } from 'node:util'
import { removeDocumentUrls } from '../../categories/document-addresses.ts'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { createEnDocument, type EnForm } from '../../passports/documents/en-document.ts'
import { findChangedData } from '../../standards/en18223/compare-documents.ts'
import { compressElement } from '../../standards/en18223/compress.ts'
import {
  type ElementSteps,
  parseElementPath,
  readElement,
  readFullElement,
} from '../../standards/en18223/element-path.ts'
import {
  ELEMENT_MEMBER,
  HEADER_MEMBER,
  OTHER_SPELLINGS,
  PASSPORT_RECORD,
} from '../../standards/en18223/names.ts'
import { setElement } from '../../standards/en18223/set-element.ts'
import type { ApiResponse } from '../endpoint/endpoint.ts'
import { buildPrivateEtag } from './etag.ts'
import {
  type Change,
  changeOwnPassport,
  isHiddenMember,
  type OwnPassport,
  type PassportWriteCall,
  requireMatch,
} from './own-passport.ts'
import { readQueryText } from './parse-target.ts'
import { readDppBody } from './read-dpp-body.ts'
import { readChangeOptions, readRepresentation } from './representation.ts'

/** Answers with the element as a read would give it; null if it was removed. */
export async function updateElement(call: PassportWriteCall & { path: string }): Promise<ApiResponse> {
  const query = readQueryText(call.query, ['representation', 'change_type', 'note'])
  const form = readRepresentation(query.representation)
  const options = readChangeOptions(query)
  const steps = requireWritablePath(call.path)
  const element = readSentElement(await readDppBody(call.body), steps)
  const own = await changeOwnPassport(call, options, async present => {
    await requireMatch(call, present, [
      await readPart(call, present, 'compressed'),
      await readPart(call, present, 'full'),
    ])
    return planChange(call, present, steps, element)
  })
  const value = (await readPart(call, own, form)) ?? null
  return {
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json; charset=utf-8', etag: buildPrivateEtag(value) },
  }
}

const READ_ONLY: ReadonlySet<unknown> = new Set([
  ...Object.values(HEADER_MEMBER),
  ...OTHER_SPELLINGS,
  PASSPORT_RECORD,
])

/** Throws `bad_request`, and `not_found` for members that are no elements. */
function requireWritablePath(path: string): ElementSteps {
  const parsed = parseElementPath(path)
  if ('kind' in parsed) throw new AppError('bad_request', parsed.message)
  const [first] = parsed.steps
  if (first === undefined) {
    const message = '$ is the whole passport. Name one element, or send a PATCH of the document itself.'
    throw new AppError('bad_request', message)
  }
  if (isHiddenMember(first)) throw missing()
  if (!READ_ONLY.has(first)) return parsed.steps
  const hint =
    first === HEADER_MEMBER.status
      ? ' Send it in a PATCH of the document, or DELETE the document, to archive it.'
      : ''
  throw invalidField([String(first)], 'immutable', `${String(first)} is read-only.${hint}`)
}

const missing = () => new AppError('not_found', 'The document has no such element.')

/** A bare value, or that of a data element. Throws `validation` for a data element of another name. */
function readSentElement(sent: unknown, steps: ElementSteps): unknown {
  if (!isObject(sent) || !Object.hasOwn(sent, ELEMENT_MEMBER.objectType)) return sent
  const last = steps.at(-1)
  const id = getOwn(sent, ELEMENT_MEMBER.elementId)
  if (typeof last === 'string' && id !== undefined && id !== last) {
    const message = `${ELEMENT_MEMBER.elementId} must be ${last}, as the path says, or be left out.`
    throw invalidField([ELEMENT_MEMBER.elementId], 'enum', message)
  }
  const value = compressElement(sent)
  if (value !== sent && value !== undefined) return value
  const message = `${ELEMENT_MEMBER.objectType} is not one that is known, or the element has no value.`
  throw invalidField([ELEMENT_MEMBER.objectType], 'enum', message)
}

function planChange(
  { setup }: Pick<PassportWriteCall, 'setup'>,
  { row, document }: OwnPassport,
  steps: ElementSteps,
  element: unknown,
): Change {
  const { publicUrl } = setup.addresses
  const result = setElement(document, steps, element)
  if (result.kind === 'missing') throw missing()
  if (result.kind === 'gap') {
    const message = `The list has ${result.length} entries: the next index is ${result.length}.`
    throw new AppError('bad_request', message)
  }
  const after: DataObject = isObject(result.value) ? result.value : {}
  const category = requireCategory(row.category)
  const changed = findChangedData(document, after, category)
  const data = removeDocumentUrls(publicUrl, category, changed)
  if (Object.keys(data).length === 0 && !isDeepStrictEqual(document, after)) {
    throw invalidField([...steps], 'immutable', 'This element is derived from others. Change those.')
  }
  return { data }
}

/** Undefined if there is no such element. */
async function readPart(
  { setup, path }: PassportWriteCall & { path: string },
  { row, document }: OwnPassport,
  form: EnForm,
): Promise<unknown> {
  const found =
    form === 'full'
      ? readFullElement(await createEnDocument(setup, row, 'owner', 'full'), path)
      : readElement(document, path)
  return found.kind === 'found' ? found.value : undefined
}
