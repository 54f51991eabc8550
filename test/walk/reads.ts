/** Predicts from the model what reading calls return. */
import assert from 'node:assert/strict'
import { ADDRESSES, type Answer } from '../harness.ts'
import type { Verdict } from './call.ts'
import { type Entry, etagOf, type Filter, familyOf, listed, recordAt, recordOf, summaryOf } from './world.ts'

const NOT_FOUND: Verdict = { refused: 'not_found' }
const ok = (check: (answer: Answer) => void): Verdict => ({ status: 200, check })

/** `knows`: a version whose tag is sent as `If-None-Match`. */
export function judgeRead(entry: Entry, knows: string | undefined): Verdict {
  if (knows === etagOf(entry)) return { status: 304, check: ({ text }) => assert.equal(text, '') }
  return ok(({ json, headers }) => {
    assert.deepEqual(json.data, recordOf(entry))
    assert.equal(headers.etag, etagOf(entry))
  })
}

export function judgeReadAt(entry: Entry, at: number): Verdict {
  const record = recordAt(entry, at)
  return record === undefined ? NOT_FOUND : ok(({ json }) => assert.deepEqual(json.data, record))
}

export function judgeVersion(entry: Entry, n: number): Verdict {
  const version = entry.history[n - 1]
  const record = version && recordAt(entry, version.at)
  return record === undefined ? NOT_FOUND : ok(({ json }) => assert.deepEqual(json.data, record))
}

export type Window = { limit: number } & ({ page: number } | { cursor: string })

export function judgeVersions(entry: Entry, window: Window): Verdict {
  const all = entry.history.map((version, index) => ({ ...version, n: index + 1 })).reverse()
  const from =
    'page' in window ? (window.page - 1) * window.limit : all.findIndex(({ n }) => n < Number(window.cursor))
  const shown = all.slice(from, from + window.limit)
  const next = shown.length === 0 ? 1 : (shown.at(-1)?.n ?? 1)
  return ok(({ json }) => {
    assert.deepEqual(
      json.data.map((one: Record<string, unknown> & { changed: string[] }) => {
        const { parent_version_no, ...told } = one
        assert.equal(parent_version_no !== undefined, entry.unit.level !== 'model')
        return { ...told, changed: [...told.changed].sort() }
      }),
      shown.map(({ n, at, change_type, changed, note }) => ({
        version_no: n,
        change_type,
        changed: [...changed].sort(),
        created_at: new Date(at).toISOString(),
        created_by: 'test full',
        note,
      })),
    )
    assert.deepEqual(json.meta, {
      page: 'page' in window ? window.page : null,
      limit: window.limit,
      total: all.length,
      total_pages: Math.ceil(all.length / window.limit),
      has_more: next > 1,
      next_cursor: next > 1 ? String(next) : null,
    })
  })
}

/** One page of a list, newest first unless it is a list of changes. */
export function judgeList(entries: readonly Entry[], filter: Filter, window: Window): Verdict {
  const isOfChanges = filter.updated_since !== undefined && filter.q === undefined
  return isOfChanges ? judgeChanges(entries, filter, window) : judgePlain(entries, filter, window)
}

export const judgeChildren = (entry: Entry, filter: Filter, window: Window): Verdict =>
  judgePlain(
    familyOf(entry).filter(({ unit }) => unit.parent === entry.unit),
    filter,
    window,
  )

function judgePlain(entries: readonly Entry[], filter: Filter, window: Window): Verdict {
  const all = listed(entries, filter)
  const cursor = 'cursor' in window ? window.cursor : undefined
  const from =
    'page' in window ? (window.page - 1) * window.limit : all.filter(({ id }) => id >= (cursor ?? '~')).length
  const shown = all.slice(from, from + window.limit)
  const hasMore = shown.length === window.limit && from + window.limit < all.length
  return ok(({ json }) => {
    assert.deepEqual(json.data, shown.map(summaryOf))
    assert.deepEqual(json.meta, {
      ...metaOf(all.length, window),
      has_more: hasMore,
      next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null,
    })
  })
}

const metaOf = (total: number, window: Window) => ({
  page: 'page' in window ? window.page : null,
  limit: window.limit,
  total,
  total_pages: Math.ceil(total / window.limit),
})

/** Oldest change first; equal times in the order of ids. The cursor's format is not checked. */
function judgeChanges(entries: readonly Entry[], filter: Filter, window: Window): Verdict {
  const all = listed(entries, filter).sort((a, b) => touched(a) - touched(b) || (a.id < b.id ? -1 : 1))
  const after = 'cursor' in window ? window.cursor?.split('-').at(-1) : undefined
  const from =
    'page' in window ? (window.page - 1) * window.limit : all.findIndex(({ id }) => id === after) + 1
  const shown = all.slice(from, from + window.limit)
  const hasMore = from + window.limit < all.length
  return ok(({ json }) => {
    assert.deepEqual(json.data, shown.map(summaryOf))
    const { next_cursor, synced_until, ...meta } = json.meta
    assert.deepEqual(meta, { ...metaOf(all.length, window), has_more: hasMore })
    assert.equal(next_cursor !== null, hasMore)
    assert.ok(Number.isFinite(Date.parse(synced_until)))
  })
}

const touched = ({ updatedAt, correctedAt, unit }: Entry) =>
  unit.outdated ? Math.max(updatedAt, correctedAt) : updatedAt

export const judgeOutdated = (entry: Entry): Verdict =>
  ok(({ json }) => {
    const outdated = familyOf(entry).filter(({ unit }) => unit.outdated).length
    assert.deepEqual(json.data, { outdated })
  })

export const judgeQr = (): Verdict =>
  ok(({ headers, text }) => {
    assert.ok(headers['content-type']?.startsWith('image/svg+xml'))
    assert.ok(text.includes('<svg'))
  })

export const judgeSnippet = (entry: Entry): Verdict =>
  ok(({ json }) => {
    assert.equal(json.data.passport_url, `${ADDRESSES.publicUrl}/p/${entry.id}`)
    assert.ok(json.data.html.includes(entry.id))
  })
