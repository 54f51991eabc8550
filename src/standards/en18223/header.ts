/** The header of a document, and the record that it carries beside the fields of its category. */
import type { Field } from '../../categories/field.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { findDataText, GLN_ADDRESSES, getDppId, getProductIdentifier } from '../identifiers.ts'
import type { Publisher, UndatedReading } from '../reading.ts'
import { buildState, STATE_FIELDS } from '../state.ts'
import {
  CONTEXT_MEMBER,
  DATA_INTEGRITY_CONTEXT,
  DPP_SCHEMA_VERSION,
  HEADER_MEMBER,
  LEI_PREFIX,
  PASSPORT_RECORD,
} from './names.ts'

/** The newest contexts in `assets/contexts/`. */
const CONTEXT_VERSIONS: Readonly<Record<string, number>> = { textile: 3, battery: 3, furniture: 3 }
export const getContextVersion = (categoryId: string): number => CONTEXT_VERSIONS[categoryId] ?? 1

/** Members that are unknown are left out, never invented. `ownContext`: defined in this document alone. */
export function buildHeader(
  reading: UndatedReading,
  publisher: Publisher,
  ownContext?: DataObject,
): DataObject {
  const { category } = reading
  const { nsUrl } = publisher
  const operatorId = findOperatorId(reading, publisher)
  const facilityId = findDataText(reading, 'manufacturingFacility', 'facilityId')
  return {
    [CONTEXT_MEMBER]: [
      `${nsUrl}/en18223/${category.id}/v${getContextVersion(category.id)}`,
      DATA_INTEGRITY_CONTEXT,
      ...(ownContext === undefined ? [] : [ownContext]),
    ],
    [HEADER_MEMBER.id]: getDppId(reading),
    [HEADER_MEMBER.productId]: getProductIdentifier(reading),
    [HEADER_MEMBER.granularity]: reading.level,
    [HEADER_MEMBER.dppSchemaVersion]: DPP_SCHEMA_VERSION,
    [HEADER_MEMBER.status]: reading.status,
    [HEADER_MEMBER.lastUpdated]: reading.lastUpdated.toISOString(),
    ...(operatorId === undefined ? {} : { [HEADER_MEMBER.operatorId]: operatorId }),
    ...(facilityId === undefined ? {} : { [HEADER_MEMBER.facilityId]: GLN_ADDRESSES.place + facilityId }),
    [HEADER_MEMBER.contentSpecificationIds]: [`${nsUrl}/${category.id}/v${reading.schemaVersion}`],
  }
}

/** The GLN of the economic operator, else its LEI, else the DID of the account, which it may prefer. */
function findOperatorId(reading: UndatedReading, { did, prefersDid }: Publisher): string | undefined {
  if (prefersDid && did !== null) return did
  const gln = findDataText(reading, 'economicOperator', 'operatorId')
  if (gln !== undefined) return GLN_ADDRESSES.company + gln
  const hasLei = findDataText(reading, 'economicOperator', 'registryId', 'scheme') === 'lei'
  const lei = hasLei ? findDataText(reading, 'economicOperator', 'registryId', 'value') : undefined
  return lei === undefined ? (did ?? undefined) : LEI_PREFIX + lei
}

/** The header of a passport as a field, so that it becomes an element as fields do. Read-only. */
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
    {
      name: 'issuerName',
      type: 'name',
      description:
        'Who signs: the verified legal name of the account, or that the service signs for an account that it has not verified.',
    },
    {
      name: 'issuerVerified',
      type: 'boolean',
      description: 'Whether the operator of the service has verified who the account is.',
    },
    ...STATE_FIELDS,
  ],
}

/** The values of `RECORD_FIELD`; null where the passport has no such value. */
export const buildRecord = (reading: UndatedReading, { issuer }: Pick<Publisher, 'issuer'>): DataObject => ({
  category: reading.category.id,
  versionNo: reading.versionNo,
  lot: reading.lot,
  serial: reading.serial,
  modelPassportId: reading.model === null ? null : getDppId(reading.model),
  batchPassportId: reading.batch === null ? null : getDppId(reading.batch),
  outdated: reading.level === 'model' ? null : reading.outdated,
  versionCommitment: reading.versionCommitment,
  issuerName: issuer?.name ?? null,
  issuerVerified: issuer?.isVerified ?? null,
  ...buildState(reading, issuer !== undefined),
})
