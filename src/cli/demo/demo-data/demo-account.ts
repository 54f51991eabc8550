/** All that the demo account holds, category by category. */
import { BATTERIES } from './batteries.ts'
import type { DemoPassport } from './demo-passport.ts'
import { FURNITURE } from './furniture.ts'
import { TEXTILES } from './textiles.ts'

export const DEMO_PASSPORTS: readonly DemoPassport[] = [...TEXTILES, ...BATTERIES, ...FURNITURE]
