/** Honest clients in their own process, so that nothing else in it makes them wait. Ordered by messages. */
import { HonestClients } from '../honest.ts'

export type HonestOrder =
  | { start: { port: number; apiKey: string; ids: readonly string[] } }
  | 'take'
  | 'stop'

let clients: HonestClients | undefined

process.once('disconnect', () => process.exit())
process.on('message', async (order: HonestOrder) => {
  if (order === 'take') process.send?.(clients?.take())
  else if (order === 'stop') {
    await clients?.stop()
    process.exit()
  } else {
    clients = new HonestClients(order.start)
    clients.start()
    process.send?.('started')
  }
})
