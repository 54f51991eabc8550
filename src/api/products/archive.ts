/** Archiving and restoring a product. */
import { setStatus } from '../../passports/write/archive.ts'
import { type AccountCall, defineEndpoint } from '../endpoint/endpoint.ts'
import { IF_MATCH } from '../endpoint/header-parameters.ts'
import { ARCHIVED, exampleRecord, LATER } from './examples.ts'
import { changedRecordResponse, describeRecord, isChangeAllowed } from './record-response.ts'

export const archiveProduct = defineEndpoint({
  method: 'POST',
  path: '/products/:id/archive',
  id: 'archiveProduct',
  tag: 'products',
  summary: 'Archive a product',
  description: 'Its public page stays. This writes no version; archiving again changes nothing.',
  requestHeaders: [IF_MATCH],
  responses: { 200: describeRecord(exampleRecord(ARCHIVED)) },
  errors: ['version_conflict'],
  handle: call => changeStatus(call, 'x'),
})

export const restoreProduct = defineEndpoint({
  method: 'POST',
  path: '/products/:id/restore',
  id: 'restoreProduct',
  tag: 'products',
  summary: 'Restore an archived product',
  description:
    'Writes no version; restoring again changes nothing. Fails when another product has taken its released GTIN.',
  requestHeaders: [IF_MATCH],
  responses: { 200: describeRecord(exampleRecord({ updated_at: LATER })) },
  errors: ['gtin_taken', 'version_conflict'],
  handle: call => changeStatus(call, 'a'),
})

async function changeStatus(call: AccountCall & { path: { id: string } }, status: 'a' | 'x') {
  const change = { uuid: call.path.id, status, expects: isChangeAllowed(call) }
  return changedRecordResponse(call, await setStatus(call.account, change))
}
