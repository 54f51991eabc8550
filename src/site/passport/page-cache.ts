/** Ready answers of passports, as many as fit: all forms and languages of a passport live and go together. */
import type { TranslationLanguages } from '../../categories/pick-text.ts'
import type { PreparedResponse } from '../http/prepared-response.ts'

export type CachedPassport = {
  /** Version, status and whatever else makes a new page; forms of an older state are dropped. */
  readonly state: string
  /** The passport's primary language, needed to choose among the forms. */
  readonly primary: string
  /** The languages that its texts have, when not all are of the 24 as a page may be in. */
  readonly texts: TranslationLanguages | null
  readonly forms: Map<string, PreparedResponse>
  bytes: number
}

type Kept = Pick<CachedPassport, 'state' | 'primary' | 'texts'>

export type PageCache = {
  /** The passport's forms if they are of this state. */
  find(id: string, state: string): CachedPassport | undefined
  /** The passport's forms of whatever state was cached last. */
  findAny(id: string): CachedPassport | undefined
  keep(id: string, passport: Kept, form: string, answer: PreparedResponse): void
  bytes(): number
}

/** What an entry costs besides its body: header lists, keys, objects. */
const OVERHEAD_BYTES = 4_096
/** Each of the 24 languages twice, and others in as many choices as readers make; a stranger could make thousands. */
const MAX_FORMS = 64

/** The two compressed forms of a page together are smaller than the page. */
const estimateBytes = (answer: PreparedResponse) => 2 * answer.identity.body.length + OVERHEAD_BYTES

/** The passport longest not asked for goes first. */
export function createPageCache(mostBytes: number): PageCache {
  const entries = new Map<string, CachedPassport>()
  let held = 0

  const drop = (id: string, entry: CachedPassport) => {
    entries.delete(id)
    held -= entry.bytes
  }

  return {
    find(id, state) {
      const entry = entries.get(id)
      if (entry === undefined || entry.state !== state) return undefined
      // Maps keep the order of insertion: the end is the most recent. While there is room, the order does not matter.
      if (held > mostBytes / 2) {
        entries.delete(id)
        entries.set(id, entry)
      }
      return entry
    },
    findAny: id => entries.get(id),
    keep(id, passport, form, answer) {
      const { state } = passport
      let entry = entries.get(id)
      if (entry !== undefined && entry.state !== state) drop(id, entry)
      if (entry === undefined || entry.state !== state) {
        entry = { ...passport, forms: new Map(), bytes: 0 }
      }
      let growth = estimateBytes(answer)
      const [oldestForm = form] = entry.forms.keys()
      const leaving = entry.forms.has(form) || entry.forms.size < MAX_FORMS ? form : oldestForm
      const left = entry.forms.get(leaving)
      if (left !== undefined) growth -= estimateBytes(left)
      entry.forms.delete(leaving)
      entry.forms.set(form, answer)
      entry.bytes += growth
      held += growth
      entries.delete(id)
      entries.set(id, entry)
      for (const [oldest, old] of entries) {
        if (held <= mostBytes) break
        drop(oldest, old)
      }
    },
    bytes: () => held,
  }
}
