/** The setup of the mirrors of tests. */
import { systemClock } from '../../src/kernel/values/clock.ts'
import type { AccountMirrorSetup } from '../../src/transfer/mirror/mirror-account.ts'
import type { UnitStand } from '../api/unit-stand.ts'
import { ADDRESSES } from '../harness.ts'
import { passportsOf } from './stores.ts'

export const createMirrorSetup = ({ t }: UnitStand): AccountMirrorSetup => ({
  documents: {
    sql: t.sql,
    clock: systemClock,
    addresses: ADDRESSES,
    secretCipher: t.setup.secretCipher,
    nsUrl: t.setup.nsUrl,
    signatureDays: 90,
  },
  version: 'test',
  publicUrl: ADDRESSES.publicUrl,
  namespace: 'ns/dpp',
  openPassport: passportsOf(t.setup),
  async fetchPage(path, accept) {
    const answer = await t.app.inject({ method: 'GET', url: path, headers: { accept } })
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: answer.rawPayload,
    }
  },
})
