/** The webhook that a page is about. */
import { type EndpointRecord, getWebhook } from '../../webhooks/endpoint.ts'
import { WEBHOOKS } from '../page/addresses.ts'
import type { SignedInVisit } from '../page/route.ts'

/** The webhook of the address. Throws `not_found`, for another account's too. */
export const endpointOf = ({ ctx, id }: SignedInVisit): Promise<EndpointRecord> => getWebhook(ctx, id)

export const pageOf = (id: string) => `${WEBHOOKS}/${id}`
