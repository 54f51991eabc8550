/** `carnet gtin release`: an operator's act, because printed codes may still name the GTIN. */
import { releaseGtin } from '../passports/release-gtin.ts'
import type { Command } from './command.ts'
import { withStore } from './store.ts'

export const gtinRelease: Command = {
  usage: 'gtin release GTIN',
  about: 'gives a GTIN free that no active product bears any more, so that another product can take it',
  positionals: ['GTIN'],
  options: {},
  run: ({ args, env }) => {
    const gtin = args.get('GTIN')
    return withStore(env, async ctx => {
      const released = await releaseGtin(ctx, gtin)
      return {
        value: released,
        text: `The GTIN ${released.gtin14} is free; product ${released.product_id} held it.`,
      }
    })
  },
}
