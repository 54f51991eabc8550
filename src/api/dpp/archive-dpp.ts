/** DeleteDPPById: archives, because a passport is never deleted. */
import type { ApiResponse } from '../endpoint/endpoint.ts'
import { buildResult } from './errors.ts'
import { changeOwnPassport, type PassportWriteCall, requireMatch } from './own-passport.ts'
import { readQueryText } from './parse-target.ts'

/** Archiving again gives the same answer and changes nothing. */
export async function archiveDpp(call: PassportWriteCall & { requestId: string }): Promise<ApiResponse> {
  readQueryText(call.query, [])
  await changeOwnPassport(call, { changeType: 'change', note: undefined }, async own => {
    await requireMatch(call, own)
    return own.row.status === 'x' ? { data: {} } : { status: 'x' }
  })
  const text = 'Archived. A passport is never deleted; its address keeps answering.'
  const message = { messageType: 'Info', text, code: 'archived' } as const
  return {
    body: buildResult('Success', [message], call.requestId, call.setup.clock.now()),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  }
}
