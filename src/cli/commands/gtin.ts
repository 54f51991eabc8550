/** `carnet gtin release`: only for operators, because printed codes contain the GTIN. */
import { type ReleasedGtin, type ReleaseOptions, releaseGtin } from '../../passports/write/release-gtin.ts'
import { findAccountId } from '../command-line/account-arguments.ts'
import { type Command, UsageError } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const gtinRelease: Command = {
  usage: 'gtin release GTIN [--to ACCOUNT | --for-anyone] [--force]',
  about:
    'releases the GTIN of a product, so that another product of the same or the given account can use it',
  positionals: ['GTIN'],
  options: {
    to: {
      hint: 'ACCOUNT',
      about: 'the id of the only account that may use it; the default is the account that had it',
    },
    'for-anyone': { about: 'the first account that asks may use it' },
    force: { about: 'also when units with this GTIN are active' },
  },
  run: onStore(
    args => {
      const forAnyone = args.has('for-anyone')
      if (args.find('to') !== undefined && forAnyone)
        throw new UsageError('Give --to or --for-anyone, not both.')
      const claimableBy: ReleaseOptions['claimableBy'] = forAnyone ? 'anyone' : findAccountId(args, 'to')
      return { gtin: args.get('GTIN'), options: { claimableBy, force: args.has('force') } }
    },
    async (ctx, { gtin, options }) => {
      const released = await releaseGtin(ctx, gtin, options)
      return { value: released, text: describe(released) }
    },
  ),
}

function describe({ gtin14, product_id, account_id, units, claimable_by }: ReleasedGtin): string {
  const who = claimable_by === 'anyone' ? 'Any account may' : `Only account ${claimable_by} may`
  const lines = [
    `The GTIN ${gtin14} is released from product ${product_id} of account ${account_id}. ${who} use it now, for a new or an existing product.`,
    'Until then, all codes printed with it still lead to that product.',
    'From then on, codes that contain only the GTIN lead to the new product.',
  ]
  if (units > 0) {
    const issued = units === 1 ? '1 unit was' : `${units} units were`
    const unless = claimable_by === account_id ? 'unless' : 'also when'
    lines.push(
      `${issued} issued under it: codes with their lots and serials still lead to them, ${unless} the new product has a unit with the same lot or serial.`,
    )
  }
  return lines.join('\n')
}
