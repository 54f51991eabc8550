/** `carnet accounts move`: one account to another shard. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { moveAccount } from '../../transfer/accounts/move-account.ts'
import { hasRunningImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { getAccountId } from '../command-line/account-arguments.ts'
import { type Command, CommandError } from '../command-line/command.ts'
import { withProgress } from '../command-line/progress.ts'
import { onStore } from '../store/with-store.ts'
import { parseShard } from './shards.ts'

export const accountsMove: Command = {
  usage: 'accounts move ID --to SHARD',
  about: 'moves a closed account to another shard; its public pages stay, and a killed run can be repeated',
  positionals: ['ID'],
  options: { to: { hint: 'SHARD', about: 'the number of the shard, as `carnet shards list` shows it' } },
  run: onStore(
    args => ({ accountId: getAccountId(args, 'ID'), to: parseShard(args.get('to'), '--to') }),
    async ({ store, ...ctx }, input) => {
      if (await hasRunningImport(await actAsOperator(ctx, input.accountId)))
        throw new CommandError('A spreadsheet is being imported. Stop the import or wait until it ends.')
      const { openOwnerPool } = store
      const moved = await withProgress(progress => moveAccount({ ...ctx, openOwnerPool, progress }, input))
      const { name, from, to, rows } = moved
      const text = `Account ${input.accountId} "${name}" is on shard ${to} (${rows} rows copied); shard ${from} has nothing of it. Open it again with "carnet accounts reopen ${input.accountId}".`
      return { value: { id: String(input.accountId), name, from, to, rows }, text }
    },
  ),
}
