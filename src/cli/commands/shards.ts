/** `carnet shards`: spreads the accounts over the machines of a Citus cluster. */
import { countAccountsByShard } from '../../accounts/account/account-shard.ts'
import { createShards, listPlacements } from '../../kernel/db/citus.ts'
import { moveShard } from '../../kernel/db/move-shard.ts'
import { MAX_SHARDS } from '../../kernel/db/shards.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { type Command, CommandError, formatTable, UsageError } from '../command-line/command.ts'
import { createTimeEstimate, withProgress } from '../command-line/progress.ts'
import { CREATES_STORE, onStore } from '../store/with-store.ts'

/** Throws UsageError. */
export function parseShard(text: string, name = 'SHARD'): number {
  const shard = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(shard <= MAX_SHARDS)) throw new UsageError(`${name} must be a number from 1 to ${MAX_SHARDS}.`)
  return shard
}

export const shardsCreate: Command = {
  usage: 'shards create N',
  about: 'creates shards on a Citus cluster until there are N; new accounts are then on one of them',
  positionals: ['N'],
  run: onStore(
    args => parseShard(args.get('N'), 'N'),
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

export const shardsMove: Command = {
  usage: 'shards move SHARD HOST:PORT',
  about: 'moves a shard to another node of the cluster while its accounts read and write',
  positionals: ['SHARD', 'HOST:PORT'],
  run: onStore(
    args => ({ shard: parseShard(args.get('SHARD')), to: args.get('HOST:PORT') }),
    async ({ sql, store }, move) => {
      const owner = store.openOwnerPool()
      try {
        const estimate = createTimeEstimate()
        const moved = await withProgress(update =>
          moveShard(owner, sql, move, share =>
            update(`copied: ${Math.round(share * 100)} %${estimate(share, 1)}`),
          ),
        )
        const { shard, from, to, bytes } = moved
        return {
          value: moved,
          text: `Moved shard ${shard} (${formatMegabytes(bytes)}) from ${from} to ${to}.`,
        }
      } catch (error) {
        throw error instanceof AppError ? new CommandError(error.message) : error
      } finally {
        await owner.end({ timeout: 1 })
      }
    },
  ),
}

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

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
        formatMegabytes(one.bytes),
        String(one.accounts),
      ])
      const empty = 'There are no shards: everything is in one schema.'
      return { value: shards, text: formatTable(['SHARD', 'MACHINE', 'SIZE', 'ACCOUNTS'], lines, empty) }
    },
  ),
}
