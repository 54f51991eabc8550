/** All records. An account's export, the API and the console have each of them. */

import type { RecordId } from '../../accounts/account/audit.ts'
import type { RecordStore } from '../core/store-records.ts'
import { OFFER_STORE } from '../offers/store-offers.ts'

// Method parameters are compared in both directions, so stores of all types fit one list.
export const RECORD_STORES: Readonly<Record<RecordId, RecordStore>> = { offer: OFFER_STORE }
