/** A client of two accounts that takes steps, and knows at each what has to be answered. */
import { revokeKey } from '../../src/accounts/keys.ts'
import { listKeys } from '../../src/accounts/keys.ts'
import { setPlan } from '../../src/accounts/accounts.ts'
import { type Harness, nextGtin } from '../harness.ts'
import type { Fields } from '../passports/inheritance-model.ts'
import { type Call, perform, type Walk } from './call.ts'
import * as reads from './reads.ts'
import type { DrawnFields, DrawnUnit, Step } from './steps.ts'
import { type Account, type Entry, type Filter, modelData, versionOf } from './world.ts'
import * as writes from './writes.ts'

const QUOTA = { model: 3, batch: 4, item: 8 }
const HOUR_MS = 3_600_000
const STEP_MS = 2_000
