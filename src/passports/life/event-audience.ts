/** Tells who may see something of an event. */
import { AUDIENCES, type Audience } from '../../categories/field.ts'
import type { InUseTable } from '../../categories/in-use/table.ts'
import { CORRECTION, type StoredData } from './event.ts'

/** `about`: the kind of the event that a correction is about. `isPublic`: as stored. */
type Stored = { kind: string; isPublic: boolean; data: StoredData; about: string | null }

/** A correction is for those who see the corrected event, or the one in its place. */
export function listEventAudience(
  { kind, isPublic, data, about }: Stored,
  { events }: InUseTable,
): Audience[] {
  const kinds = kind === CORRECTION ? [about, data.event?.kind] : [kind]
  const audiences = new Set(kinds.flatMap(one => events.get(one ?? '')?.audience ?? []))
  return AUDIENCES.filter(one => audiences.has(one) && (one !== 'public' || isPublic))
}
