/** `carnet dpp-id release`: only for operators, who decide between two accounts that want one identifier. */
import { type ReleasedDppId, releaseDppId } from '../../passports/write/release-dpp-id.ts'
import { findAccountId } from '../command-line/account-arguments.ts'
import type { Command } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const dppIdRelease: Command = {
  usage: 'dpp-id release IDENTIFIER [--contested-by ACCOUNT]',
  about:
    'takes a digitalProductPassportId of another system from its passport, which then has the address of this server',
  positionals: ['IDENTIFIER'],
  options: {
    'contested-by': {
      hint: 'ACCOUNT',
      about: 'the account that asked; its audit log names the release, too',
    },
  },
  run: onStore(
    args => ({ dppId: args.get('IDENTIFIER'), contestedBy: findAccountId(args, 'contested-by') }),
    async (ctx, { dppId, contestedBy }) => {
      const released = await releaseDppId(ctx, dppId, contestedBy)
      return { value: released, text: describe(released) }
    },
  ),
}

function describe({ dpp_id, product_id, account_id, claimable_by }: ReleasedDppId): string {
  const who =
    claimable_by === null
      ? 'No name in it is approved for an account: the first that sends it may use it. To reserve it, approve its host with "carnet accounts verify".'
      : `Only account ${claimable_by} may use it now: a name in it is approved for that account.`
  return [
    `The identifier ${dpp_id} is released from product ${product_id} of account ${account_id}.`,
    who,
    'What was signed before still names it.',
  ].join('\n')
}
