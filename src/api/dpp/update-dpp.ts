/** UpdateDPPById: a merge patch (RFC 7396) on the compressed form of the document that the account reads. */
import { removeDocumentUrls } from '../../categories/document-addresses.ts'
import { type Detail, invalid } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { mergePatch } from '../../kernel/values/merge-patch.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import type { StatusLetter } from '../../passports/core/record.ts'
import {
  findChangedData,
  findReadOnlyChanges,
  unwrapSections,
} from '../../standards/en18223/compare-documents.ts'
import { HEADER_MEMBER } from '../../standards/en18223/names.ts'
import type { ApiResponse } from '../endpoint/endpoint.ts'
import {
  type Change,
  changeOwnPassport,
  documentOfOwn,
  NOT_OFFERED,
  type OwnPassport,
  type PassportWriteCall,
  requireMatch,
} from './own-passport.ts'
import { readQueryText } from './parse-target.ts'
import { readDppObject } from './read-dpp-body.ts'
import { readChangeOptions, readRepresentation } from './representation.ts'

/** Sends the top-level fields that differ through the one update of passports, as one version. */
export async function updateDpp(call: PassportWriteCall): Promise<ApiResponse> {
  const query = readQueryText(call.query, ['representation', 'change_type', 'note'])
  if (readRepresentation(query.representation) === 'full') return NOT_OFFERED
  const options = readChangeOptions(query)
  const patch = unwrapSections(await readDppObject(call.body), call.setup.nsUrl)
  const own = await changeOwnPassport(call, options, async present => {
    await requireMatch(call, present)
    return planUpdate(call, present, patch)
  })
  return documentOfOwn(own)
}

function planUpdate(
  { setup }: Pick<PassportWriteCall, 'setup'>,
  { row, document }: OwnPassport,
  patch: DataObject,
): Change {
  const { publicUrl } = setup.addresses
  const details = findReadOnlyChanges(document, patch)
  const status = readStatusChange(document, patch, details)
  const merged = mergePatch(document, patch)
  const category = requireCategory(row.category)
  const changed = findChangedData(document, isObject(merged) ? merged : {}, category)
  const data = removeDocumentUrls(publicUrl, category, changed)
  if (status !== undefined && Object.keys(data).length > 0) {
    const message = `${HEADER_MEMBER.status} is changed by a request of its own. Send the data in another one.`
    details.push({ path: [HEADER_MEMBER.status], code: 'immutable', message })
  }
  if (details.length > 0) throw invalid(details)
  return status === undefined ? { data } : { status }
}

const STATUS_LETTERS: Readonly<Record<string, StatusLetter>> = { active: 'a', archived: 'x' }

/** Undefined if the status stays. */
function readStatusChange(
  document: DataObject,
  patch: DataObject,
  details: Detail[],
): StatusLetter | undefined {
  if (!Object.hasOwn(patch, HEADER_MEMBER.status)) return undefined
  const sent = getOwn(patch, HEADER_MEMBER.status)
  const status = typeof sent === 'string' ? sent.toLowerCase() : ''
  if (status === getOwn(document, HEADER_MEMBER.status)) return undefined
  if (Object.hasOwn(STATUS_LETTERS, status)) return STATUS_LETTERS[status]
  const message = `${HEADER_MEMBER.status} must be ${Object.keys(STATUS_LETTERS).join(' or ')}.`
  details.push({ path: [HEADER_MEMBER.status], code: 'enum', message })
  return undefined
}
