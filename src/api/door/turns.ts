/** Turns for calls that cost more than most: searches, reports, bulk calls and large bodies. */
import type { FastifyRequest } from 'fastify'
import { waitForTurn } from '../../accounts/limits/turns.ts'
import { type Release, releaseWithResponse } from '../../kernel/concurrency/semaphore.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors/errors.ts'

const turns = new WeakMap<FastifyRequest, Release>()

/**
 * Waits for a turn of the account at the client's network. It ends with `endTurn`, or with the response of a
 * refused request. A request has one turn. `since`: when its body began to arrive. Throws `unavailable`.
 */
export async function beginTurn(
  sql: Sql,
  request: FastifyRequest,
  { accountId, since }: { accountId: number; since?: number },
): Promise<void> {
  const { response, clientAddress } = request
  assert(response !== null, 'a hook has set the response')
  if (turns.has(request)) return
  const asker = { accountId, address: clientAddress }
  const release = await waitForTurn({ sql }, { pool: 'api', asker, response, since })
  // The client has left: its request runs into an error when it is answered.
  if (release === undefined) return
  turns.set(request, release)
  releaseWithResponse(response, release)
}

/** Called when the answer is known: somebody who reads it slowly holds no turn. */
export const endTurn = (request: FastifyRequest): void => turns.get(request)?.()
