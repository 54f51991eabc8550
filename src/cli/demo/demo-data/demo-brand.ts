/** The brand of the demo account: an invented department store that sells what all the invented companies make. */
import type { BrandChange } from '../../../accounts/brand/update-brand.ts'

/** An arch in an arch, and the name. */
const logo = (ink: string, accent: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 172 40"><path fill="none" stroke="${ink}" stroke-width="3" d="M3.5 38V19a15.5 15.5 0 0 1 31 0v19"/><path fill="${accent}" d="M11 38V19a8 8 0 0 1 16 0v19z"/><text x="48" y="30" font-family="ui-serif,Charter,Georgia,serif" font-size="25" letter-spacing=".5" fill="${ink}">Hallwerk</text></svg>`,
  )

export const DEMO_BRAND: BrandChange = {
  name: 'Hallwerk',
  accent: '#0f6b5c',
  logo: logo('#1d1c1a', '#0f6b5c'),
  logoDark: logo('#ebe8e1', '#3fa893'),
}
