/** Calls that change something: what is wrong with their parameters or their key is told with what is wrong with the body. */
import type { FastifyRequest } from 'fastify'
import { collectErrors } from '../kernel/collect-errors.ts'
import { AppError } from '../kernel/errors.ts'
import type { AccountCall, AccountRoute, ApiResponse } from './endpoint/endpoint.ts'
import { flag, type Rule, readQuery } from './endpoint/query.ts'
import { answerOnce, findKey } from './idempotency.ts'

const NONE: Record<string, Rule<boolean>> = {}
const DRY_RUN = { ...NONE, dry_run: flag }

/** Throws `validation` with all that is wrong. A dry run changes nothing and may be repeated as it is. */
export async function answerWrite(
  request: FastifyRequest,
  call: AccountCall,
  route: AccountRoute,
): Promise<ApiResponse> {
  const key = findKey(request)
  const read = () =>
    collectErrors({
      query: () => readQuery(call.query, route.dryRun ? DRY_RUN : NONE),
      key: () => {
        if (key instanceof AppError) throw key
      },
    }).query
  const handle = async (one: AccountCall) => {
    const { dry_run: dryRun = false } = await withBody(read, one, route)
    return route.handle({ ...one, dryRun })
  }
  if (key === undefined || key instanceof AppError || call.query.dry_run === 'true') return handle(call)
  // Also what is wrong comes after the key: one that was another request's says so first.
  return answerOnce(request, call, { ...route, handle, key })
}

/** What `read` gives. When it throws, the faults of the body are added, as a dry run finds them. */
async function withBody<T>(read: () => T, call: AccountCall, route: AccountRoute): Promise<T> {
  try {
    return read()
  } catch (error) {
    if (!route.dryRun) throw error
    const inBody = await faultOf(call, route)
    return collectErrors({
      read,
      body: () => {
        if (inBody !== undefined) throw inBody
      },
    }).read
  }
}

async function faultOf(call: AccountCall, route: AccountRoute): Promise<AppError | undefined> {
  try {
    await route.handle({ ...call, dryRun: true })
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code === 'validation' ? error : undefined
  }
}
