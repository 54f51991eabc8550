/** The entry of a passport for the EU registry: its states, and how its line follows from the passport. */
import type { RegistryAction, RegistryLine, RegistryResult } from '../../standards/registry/registry-line.ts'
import type { StatusLetter } from '../core/record.ts'

/**
 * `none`: not looked at yet. `incomplete`: the line lacks something. `ready`: its line waits to be exported.
 * `exported` to `rejected`: where the last line is. `deactivated`: an archived item.
 */
export const REGISTRY_STATES = [
  'none',
  'incomplete',
  'ready',
  'exported',
  'submitted',
  'pending',
  'registered',
  'rejected',
  'deactivated',
] as const
export type RegistryState = (typeof REGISTRY_STATES)[number]

/** The states that the results of a registry may set. */
export const RESULT_STATES = ['submitted', 'pending', 'registered', 'rejected', 'deactivated'] as const
export type ResultState = (typeof RESULT_STATES)[number]

/** The states of passports that may have a line. */
export const LINE_STATES = ['ready', 'exported', ...RESULT_STATES] as const
export type LineState = (typeof LINE_STATES)[number]

/** The stored part of an entry. */
export type StoredEntry = {
  state: RegistryState
  action: RegistryAction | null
  /** JSON. */
  line: string | null
  missing: string[] | null
  /** The version that `line` or `missing` is of. */
  version_no: number | null
  /** The version of the last line that was exported. */
  exported_no: number | null
  /** The last version that the registry has accepted. */
  registered_no: number | null
}

export type EntryLine = Pick<StoredEntry, 'state' | 'action' | 'line' | 'missing' | 'version_no'>

type Subject = { level: 'm' | 'b' | 'i'; status: StatusLetter; version_no: number }

/** Returns the entry after a look at the passport. `build` makes its line for an action. */
export function decideEntry(
  entry: StoredEntry,
  passport: Subject,
  build: (action: RegistryAction) => RegistryResult,
): EntryLine {
  const { state, action, line, missing, version_no } = entry
  const unchanged = { state, action, line, missing, version_no }
  if (passport.level === 'i' && passport.status === 'x') {
    if (state === 'deactivated') return unchanged
    // The registry has never heard of it.
    if (entry.exported_no === null)
      return {
        state: 'deactivated',
        action: null,
        line: null,
        missing: null,
        version_no: passport.version_no,
      }
    return decideLine(entry, passport, build('deactivate'))
  }
  return decideLine(entry, passport, build(entry.registered_no === null ? 'register' : 'update'))
}

function decideLine(entry: StoredEntry, passport: Subject, built: RegistryResult): EntryLine {
  const { version_no } = passport
  if ('missing' in built)
    return { state: 'incomplete', action: null, line: null, missing: built.missing, version_no }
  const { action } = built.line
  const wasDeactivating = entry.action === 'deactivate'
  const isSame =
    entry.line !== null &&
    wasDeactivating === (action === 'deactivate') &&
    formatContent(JSON.parse(entry.line)) === formatContent(built.line)
  // A line that waits may turn into an update of what was registered meanwhile.
  const state = isSame ? entry.state : 'ready'
  const line = isSame && state !== 'ready' ? entry.line : JSON.stringify(built.line)
  return {
    state,
    line,
    missing: null,
    version_no,
    action: isSame && state !== 'ready' ? entry.action : action,
  }
}

/** The part that the registry compares: all but the action. */
const formatContent = (line: RegistryLine): string => JSON.stringify({ ...line, action: null })
