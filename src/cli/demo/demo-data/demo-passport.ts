/** The shape of one demo passport: what a loader creates, in which order, to give the demo account its content. */

/** An item; `data` holds only what differs from its batch or model. */
export type DemoItem = { serial: string; data?: Record<string, unknown> }

/** A batch; `data` holds only what differs from the model, its items inherit it and the lot. */
export type DemoBatch = { lot: string; data?: Record<string, unknown>; items?: readonly DemoItem[] }

/** A later update of the model, merged shallowly; at most 500 characters of `note`. */
export type DemoUpdate = {
  note: string
  change_type: 'correction' | 'change'
  data: Record<string, unknown>
}

/**
 * One model with its units. Load in this order: the model, its batches with their items, its own items, then
 * `corrections` one by one: so a correction finds issued units. They are refreshed, but for those of one model.
 */
export type DemoPassport = {
  category: 'textile' | 'battery' | 'furniture'
  data: Record<string, unknown>
  batches?: readonly DemoBatch[]
  items?: readonly DemoItem[]
  corrections?: readonly DemoUpdate[]
  /** Shows what a unit looks like that has not taken over a correction. */
  leavesUnitsOutdated?: true
}
