/** `carnet shards`: spreads the accounts over the machines of a Citus cluster. */
import { countAccountsByShard } from '../../accounts/account-shard.ts'
import { createShards, listPlacements } from '../../kernel/db/citus.ts'
import { MAX_SHARDS } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Command, CommandError, formatTable, UsageError } from '../command-line/command.ts'
import { CREATES_STORE, onStore } from '../store/with-store.ts'

function parseCount(text: string): number {
  const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= MAX_SHARDS)) throw new UsageError(`N must be a number from 1 to ${MAX_SHARDS}.`)
  return count
}

export const shardsCreate: Command = {
  usage: 'shards create N',
  about: 'creates shards on a Citus cluster until there are N; new accounts are then on one of them',
  positionals: ['N'],
  run: onStore(
    args => parseCount(args.get('N')),
    async ({ store }, count) => {
      const owner = store.openOwnerPool()
      try {
        const created = await createShards(owner, count)
        await store.grantTraffic()
        const text =
          created.length === 0
            ? `There are ${count} shards or more; none was created.`
            : `Created ${created.length === 1 ? 'one shard' : `${created.length} shards`}. Running servers use ${created.length === 1 ? 'it' : 'them'} within ten seconds.`
        return { value: { created }, text }
      } catch (error) {
        throw error instanceof AppError ? new CommandError(error.message) : error
      } finally {
        await owner.end({ timeout: 1 })
      }
    },
    CREATES_STORE,
  ),
}

export const shardsList: Command = {
  usage: 'shards list',
  about: 'lists the shards with their machine, size and number of accounts',
  run: onStore(
    () => undefined,
    async ctx => {
      const accounts = await countAccountsByShard(ctx)
      const shards = (await listPlacements(ctx.sql)).map(one => ({
        ...one,
        accounts: accounts.get(one.shard) ?? 0,
      }))
      const lines = shards.map(one => [
        String(one.shard),
        one.node ?? '-',
        `${(one.bytes / 1e6).toFixed(1)} MB`,
        String(one.accounts),
      ])
      const empty = 'There are no shards: everything is in one schema.'
      return { value: shards, text: formatTable(['SHARD', 'MACHINE', 'SIZE', 'ACCOUNTS'], lines, empty) }
    },
  ),
}
