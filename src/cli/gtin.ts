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
      const { gtin14, product_id, units } = released
      const held = `The GTIN ${gtin14} is free; product ${product_id} held it.`
      return { value: released, text: units === 0 ? held : `${held}\n${warning(units)}` }
    })
  },
}

const warning = (units: number) =>
  `${units} ${units === 1 ? 'unit was' : 'units were'} issued under it: codes printed on them with this GTIN lead nowhere now, those with the address of the passport still do.`
