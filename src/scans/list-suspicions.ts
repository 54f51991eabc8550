/** Codes that have probably been copied, the newest suspicion first: when, and as long as the event is kept, why. */
import type { AccountContext } from '../accounts/context.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { listScanEvents } from '../webhooks/scan-events.ts'

export type Suspicion = {
  uuid: string
  at: string
  /** What was seen within the day before: undefined once the event is no longer kept. */
  seen: { count: number; countries: number; devices: number } | undefined
}

type Data = { product_id: string; count: number; countries: number; unique_devices: number }

/** The last suspicion of each item, of one alone if `uuid` says so. */
export async function listSuspicions(
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
  const events = await listScanEvents<Data>(ctx, { type: 'scan.clone_suspected', limit, ...product })
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
