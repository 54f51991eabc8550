/** Leads a call to the shard of the product that its path names, for accounts on several. */
import { atPassport } from '../../passports/read/find.ts'
import type { AccountCall, AccountEndpoint, ApiResponse } from './endpoint.ts'
import type { PathParameterName, PathValues } from './path-parameters.ts'

type Call = AccountCall & { path: PathValues<PathParameterName> }

export function handleAtProduct(
  endpoint: AccountEndpoint,
  call: Parameters<AccountEndpoint['handle']>[0],
): Promise<ApiResponse> | ApiResponse {
  if (call.account.spread === undefined) return endpoint.handle(call)
  return callAtProduct(call).then(found => endpoint.handle(found))
}

/** Returns the call as it is if its path names no product, or names one that does not exist. */
export async function callAtProduct<C extends Call>(call: C): Promise<C> {
  const id: string | undefined = call.path.id
  return id === undefined ? call : { ...call, account: await atPassport(call.account, id) }
}
