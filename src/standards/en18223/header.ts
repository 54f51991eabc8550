/** The header of a document, and the record that it carries beside the fields of its category. */
import type { Field } from '../../categories/field.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/data-object.ts'
import type { ParentAddresses, Publisher, Reading } from '../reading.ts'
import {
  CONTEXT_MEMBER,
  DATA_INTEGRITY_CONTEXT,
  DPP_SCHEMA_VERSION,
  GLN_OF_LOCATION,
  GLN_OF_PARTY,
  HEADER_MEMBER,
  LEI_PREFIX,
  PASSPORT_RECORD,
} from './names.ts'

/** The newest contexts in `assets/contexts/`. */
const CONTEXT_VERSIONS: Readonly<Record<string, number>> = { textile: 1, battery: 1, furniture: 1 }
export const getContextVersion = (categoryId: string): number => CONTEXT_VERSIONS[categoryId] ?? 1

/** Members that are unknown are left out, never invented. */
export function buildHeader(reading: Reading, publisher: Publisher): DataObject {
  const { category, data } = reading
  const { nsUrl } = publisher
  const operatorId = findOperatorId(data, publisher)
  const facilityId = findText(asObject(getOwn(data, 'manufacturingFacility')), 'facilityId')
  return {
    [CONTEXT_MEMBER]: [
      `${nsUrl}/en18223/${category.id}/v${getContextVersion(category.id)}`,
      DATA_INTEGRITY_CONTEXT,
    ],
    [HEADER_MEMBER.id]: getDppId(reading),
    [HEADER_MEMBER.productId]: reading.gs1Url ?? reading.url,
    [HEADER_MEMBER.granularity]: reading.level,
    [HEADER_MEMBER.dppSchemaVersion]: DPP_SCHEMA_VERSION,
    [HEADER_MEMBER.status]: reading.status,
    [HEADER_MEMBER.lastUpdated]: reading.lastUpdated.toISOString(),
    ...(operatorId === undefined ? {} : { [HEADER_MEMBER.operatorId]: operatorId }),
    ...(facilityId === undefined ? {} : { [HEADER_MEMBER.facilityId]: GLN_OF_LOCATION + facilityId }),
    [HEADER_MEMBER.contentSpecificationIds]: [`${nsUrl}/${category.id}/v${reading.schemaVersion}`],
  }
}

const getDppId = ({ dppId, url }: Pick<ParentAddresses, 'dppId' | 'url'>): string => dppId ?? url

/** The GLN of the economic operator, else its LEI, else the DID of the account, which it may prefer. */
function findOperatorId(data: DataObject, { did, prefersDid }: Publisher): string | undefined {
  if (prefersDid && did !== null) return did
  const operator = asObject(getOwn(data, 'economicOperator'))
  const gln = findText(operator, 'operatorId')
  if (gln !== undefined) return GLN_OF_PARTY + gln
  const registered = asObject(getOwn(operator, 'registryId'))
  const lei = findText(registered, 'scheme') === 'lei' ? findText(registered, 'value') : undefined
  return lei === undefined ? (did ?? undefined) : LEI_PREFIX + lei
}

function findText(data: DataObject, name: string): string | undefined {
  const value = getOwn(data, name)
  return typeof value === 'string' ? value : undefined
}

/** What a passport is beside its data, as a field, so that it becomes an element as fields do. Read-only. */
export const RECORD_FIELD: Field = {
  name: PASSPORT_RECORD,
  type: 'object',
  description: 'The passport itself: its version, and the units it belongs to.',
  fields: [
    { name: 'category', type: 'name', description: 'Category of the product.', term: 'schema:category' },
    { name: 'versionNo', type: 'number', description: 'Number of the version.', term: 'schema:version' },
    { name: 'lot', type: 'name', description: 'Batch or lot number.', term: 'gs1:hasBatchLotNumber' },
    { name: 'serial', type: 'name', description: 'Serial number.', term: 'schema:serialNumber' },
    { name: 'modelPassportId', type: 'name', description: 'The passport of its model.', format: 'url' },
    { name: 'batchPassportId', type: 'name', description: 'The passport of its batch.', format: 'url' },
    {
      name: 'outdated',
      type: 'boolean',
      description: 'Whether a later correction is not included in this unit yet.',
    },
    {
      name: 'versionCommitment',
      type: 'name',
      description: 'Commits to the version without revealing its hash, base64url.',
    },
  ],
}

/** The values of `RECORD_FIELD`; null where there is none. */
export const buildRecord = (reading: Reading): DataObject => ({
  category: reading.category.id,
  versionNo: reading.versionNo,
  lot: reading.lot,
  serial: reading.serial,
  modelPassportId: reading.model === null ? null : getDppId(reading.model),
  batchPassportId: reading.batch === null ? null : getDppId(reading.batch),
  outdated: reading.level === 'model' ? null : reading.outdated,
  versionCommitment: reading.versionCommitment,
})
