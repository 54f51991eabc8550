/** Shared by tests of writes by EN 18222: requests, and proof that a refused one changed nothing. */
import assert from 'node:assert/strict'
import type { Answer, Ask, Harness, TestAccount } from '../harness.ts'

export const encode = encodeURIComponent

export type Send = (method: string, path: string, ask?: Ask & { query?: string }) => Promise<Answer>

/** Sends to `/dpp/v1`. `seen` collects the statuses by method and kind of address. */
export function createSender(getHarness: () => Harness) {
  const seen = new Map<string, Set<number>>()
  const send: Send = async (method, path, ask = {}) => {
    const answer = await getHarness().ask(method as 'GET', `/dpp/v1${path}`, ask)
    const [address = ''] = path.split('?')
    const kind = address === '/dpps' ? '/dpps' : address.includes('/elements/') ? 'element' : '/dpps/{dppId}'
    const operation = `${method} ${kind}`
    seen.set(operation, (seen.get(operation) ?? new Set()).add(answer.status))
    return answer
  }
  return { send, seen }
}

/** Everything that a write could have changed, in one text. */
export async function takeSnapshot({ sql }: Harness, { id }: TestAccount): Promise<string> {
  const rows = await sql`
    select (select jsonb_agg(to_jsonb(p) order by p.id) from passport p where p.account_id = ${id}) as passports,
      (select count(*) from passport_version where account_id = ${id}) as versions,
      (select count(*) from passport_status where account_id = ${id}) as statuses,
      (select count(*) from content where account_id = ${id}) as contents,
      (select count(*) from event where account_id = ${id}) as events,
      (select count(*) from idempotency_key where account_id = ${id}) as keys,
      (select jsonb_agg(to_jsonb(u) order by u.level) from account_usage u where u.account_id = ${id}) as usage`
  return JSON.stringify(rows)
}

/** Checks status and codes of an error in the shape of EN 18222. */
export function assertError({ status, json, text }: Answer, expected: number, code: RegExp): void {
  assert.equal(status, expected, text)
  assert.equal(typeof json.statusCode, 'string', text)
  assert.ok(json.message.length > 0, text)
  for (const message of json.message) {
    assert.deepEqual(
      Object.keys(message),
      ['messageType', 'text', 'code', 'correlationId', 'timestamp'],
      text,
    )
    assert.equal(message.messageType, 'Error')
    assert.match(message.text, /\S.*[.?]$/s)
  }
  assert.match(json.message[0].code, code, text)
}
