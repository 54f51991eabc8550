/** The webhook that a page is about. */
import { toAccountContext } from '../../accounts/people/sessions.ts'
import { type EndpointRecord, getWebhook } from '../../webhooks/endpoint.ts'
import { WEBHOOKS } from '../page/addresses.ts'
import type { SignedInVisit } from '../page/route.ts'

export const ctxOf = ({ setup, session }: SignedInVisit) => toAccountContext(setup, session)

/** The webhook of the address. Throws `not_found`, for another account's too. */
export const endpointOf = (visit: SignedInVisit): Promise<EndpointRecord> =>
  getWebhook(ctxOf(visit), visit.params.id ?? '')

export const pageOf = (id: string) => `${WEBHOOKS}/${id}`
