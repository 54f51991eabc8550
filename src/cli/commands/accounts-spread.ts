/** `carnet accounts spread`: one large account over several shards of a cluster. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { withTransaction } from '../../accounts/account/context.ts'
import { MAX_SHARDS } from '../../kernel/db/shards.ts'
import { copyMedia } from '../../media/upkeep/copy-media.ts'
import { hasRunningImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { spreadAccount } from '../../webhooks/spread-account.ts'
import { getAccountId } from '../command-line/account-arguments.ts'
import { type Command, CommandError, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const accountsSpread: Command = {
  usage: 'accounts spread ID --over SHARDS',
  about: 'creates the new models of a closed account on several shards; existing ones stay where they are',
  positionals: ['ID'],
  options: { over: { hint: 'SHARDS', about: 'the numbers of the shards, such as 2,3,5' } },
  run: onStore(
    args => ({ accountId: getAccountId(args, 'ID'), modelShards: parseShards(args.get('over')) }),
    async (ctx, input) => {
      if (await hasRunningImport(await actAsOperator(ctx, input.accountId))) {
        throw new CommandError('A spreadsheet is being imported. Stop the import or wait until it ends.')
      }
      const { name, shards, modelShards } = await withTransaction(ctx, async tx => {
        const spread = await spreadAccount(tx, input)
        await copyMedia(await actAsOperator(tx, input.accountId), spread.added)
        return spread
      })
      const text = `New models of account ${input.accountId} "${name}" are created on ${formatShards(modelShards)}; its passports are on ${formatShards(shards)}. Open it again with "carnet accounts reopen ${input.accountId}".`
      return { value: { id: String(input.accountId), name, shards, model_shards: modelShards }, text }
    },
  ),
}

const formatShards = (shards: readonly number[]): string =>
  shards.length === 1 ? `shard ${shards[0]}` : `shards ${shards.join(', ')}`

/** `2,3` as numbers. Throws UsageError. */
function parseShards(text: string): number[] {
  const shards = text.split(',').map(Number)
  if (shards.every(shard => Number.isInteger(shard) && shard >= 1 && shard <= MAX_SHARDS)) return shards
  throw new UsageError(
    `--over is "${text}": it must be numbers of shards like 2,3,5. "carnet shards list" lists them.`,
  )
}
