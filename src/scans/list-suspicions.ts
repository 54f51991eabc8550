/** Lists items whose code was probably copied, newest first, with the reason for as long as it is stored. */
import { byTimeDescending, readAllShards } from '../accounts/account/account-shard.ts'
import type { AccountContext } from '../accounts/account/context.ts'
import { idFromUuid } from '../kernel/crypto/ids.ts'
import { listScanEvents } from '../webhooks/scan-events.ts'

export type Suspicion = {
  uuid: string
  at: string
  /** The scans of the 24 hours before; undefined once the event is deleted. */
  seen: { count: number; countries: number; devices: number } | undefined
}

type SuspicionEvent = { product_id: string; count: number; countries: number; unique_devices: number }

/** The last suspicion of each item, or of `uuid` alone. */
export async function listSuspicions(
  ctx: AccountContext,
  input: { limit: number; uuid?: string },
): Promise<Suspicion[]> {
  const found = await readAllShards(ctx, byTimeDescending, at => readSuspicions(at, input))
  return found.slice(0, input.limit)
}

async function readSuspicions(
  ctx: AccountContext,
  { limit, uuid }: { limit: number; uuid?: string },
): Promise<Suspicion[]> {
  const { sql, accountId } = ctx
  const rows = await sql<{ passport_id: string; suspected_at: Date }[]>`
    select passport_id, suspected_at from scan_total
    where account_id = ${accountId} and suspected_at is not null ${uuid === undefined ? sql`` : sql`and passport_id = ${uuid}`}
    order by suspected_at desc limit ${limit}`
  if (rows.length === 0) return []
  const product = uuid === undefined ? {} : { productId: idFromUuid(uuid) }
  const events = await listScanEvents<SuspicionEvent>(ctx, {
    type: 'scan.clone_suspected',
    limit,
    ...product,
  })
  return rows.map(({ passport_id, suspected_at }) => {
    const id = idFromUuid(passport_id)
    const event = events.find(
      ({ at, data }) => data.product_id === id && at.getTime() === suspected_at.getTime(),
    )
    return {
      uuid: passport_id,
      at: suspected_at.toISOString(),
      seen: event && {
        count: event.data.count,
        countries: event.data.countries,
        devices: event.data.unique_devices,
      },
    }
  })
}
