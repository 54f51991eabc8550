/** Documents that requests name while the operator withdraws one after another. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { originalKey } from '../../src/media/files/media-file.ts'
import { withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { type Harness, newProduct } from '../harness.ts'
import { makePdf } from '../media/sample-files.ts'
import { type Callers, showFile } from './requests.ts'
import type { Served } from './stand.ts'

const FILES = 6

type Withdrawn = { id: string; doneAt: Date | undefined }

/** Documents of the account that most requests are about. */
export async function storeFiles(t: Harness, { port, mediaStore }: Served, { unlimited: [key] }: Callers) {
  const api = `http://127.0.0.1:${port}/api/v1`
  const headers = { authorization: `Bearer ${key}` }
  const ids: string[] = []
  for (let n = 0; n < FILES; n++) ids.push(await storeFile(api, headers))
  const [file] = await t.sql<{ account_id: number }[]>`select account_id from media limit 1`
  assert.ok(file)
  const accountId = file.account_id
  const withdrawn: Withdrawn[] = []
  return {
    ids,
    /** All but the last. */
    async withdrawNext() {
      const id = ids[withdrawn.length]
      if (id === undefined || withdrawn.length === FILES - 1) return
      const entry: Withdrawn = { id, doneAt: undefined }
      withdrawn.push(entry)
      const operator = await actAsOperator({ sql: t.setup.sql, clock: t.clock }, accountId)
      await withdrawMedia({ ...operator, mediaStore }, { id, reason: 'Published by mistake.' })
      entry.doneAt = new Date()
    },
    /** Each answers 410 and has no bytes, and no version that was written later refers to it. */
    async assertWithdrawn() {
      assert.equal(withdrawn.length, FILES - 1)
      for (const { id, doneAt } of withdrawn) {
        assert.ok(doneAt)
        assert.equal((await fetch(`${api}/media/${id}`, { headers })).status, 410)
        assert.equal(await mediaStore.read(originalKey(accountId, id)), undefined)
        const late = await t.sql`
          select u.passport_id from media_use u join passport_version v
            on v.account_id = u.account_id and v.passport_id = u.passport_id and v.version_no = u.version_no
          where u.media_id = decode(${id}, 'hex') and v.created_at > ${doneAt}`
        assert.deepEqual([...late], [])
      }
    },
  }
}

/** A product shows it, so that no request deletes it. */
async function storeFile(api: string, headers: Record<string, string>): Promise<string> {
  const stored = await fetch(`${api}/media`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/pdf' },
    body: new Uint8Array(await makePdf(`Manual ${randomUUID()}`)),
  })
  assert.equal(stored.status, 201)
  const { id } = ((await stored.json()) as { data: { id: string } }).data
  const made = await fetch(`${api}/products`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(newProduct({ documents: showFile(id) })),
  })
  assert.equal(made.status, 201)
  return id
}
