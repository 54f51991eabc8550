/** Compares the rows of files with the objects in the store, of all accounts. */
import { hash } from 'node:crypto'
import { findHomesOfSpread } from '../../accounts/account/account-shard.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShardNumber, listShards } from '../../kernel/db/shards.ts'
import { listObjectKeys, MEDIA_ID } from '../files/media-file.ts'
import type { MediaStore } from '../store/media-store.ts'

const PAGE_ROWS = 500
/** At the same time. Each holds a file of up to 20 MiB. */
const MAX_READS = 4
const MAX_NAMED = 20

/** `problems`: sentences, of each kind at most 20 and the number of the others. */
export type MediaReport = { files: number; bytes: number; problems: string[] }

export type StoredRow = { accountId: number; id: string; width: number | null; bytes: number }
type Progress = (files: number) => void

/** Reads every object of every file. What is uploaded or deleted meanwhile is no problem. */
export async function verifyMedia(
  sql: Sql,
  mediaStore: MediaStore,
  progress: Progress = () => {},
): Promise<MediaReport> {
  const problems = {
    missing: new Examples(),
    changed: new Examples(),
    orphaned: new Examples(),
    withdrawn: new Examples(),
  }
  let [files, bytes] = [0, 0]
  const homes = await findHomesOfSpread(sql)
  for (const shard of listShards(sql)) {
    const number = getShardNumber(shard)
    for await (const rows of listRowPages(after => readRowPage(shard, after))) {
      // Other shards of an account have copies of its rows.
      const own = rows.filter(({ accountId }) => (homes.get(accountId) ?? number) === number)
      await forEachOf(own, async row => {
        for (const key of listObjectKeys(row.accountId, row)) {
          const object = await mediaStore.read(key)
          const isOriginal = key.endsWith('/original')
          const isRight = object !== undefined && (!isOriginal || hash('sha256', object, 'hex') === row.id)
          if (isRight || !(await isReady(shard, row))) continue
          problems[object === undefined ? 'missing' : 'changed'].add(key)
        }
        files++
        bytes += row.bytes
        progress(files)
      })
    }
  }
  for await (const keys of groupKeys(mediaStore)) {
    // Rows come before their objects and go after them: what has no row is forgotten, or gone by now.
    const { unknown, withdrawn } = await sortKeys(sql, keys)
    for (const key of unknown) if ((await mediaStore.read(key)) !== undefined) problems.orphaned.add(key)
    for (const key of withdrawn) if ((await mediaStore.read(key)) !== undefined) problems.withdrawn.add(key)
  }
  return {
    files,
    bytes,
    problems: [
      ...problems.missing.describe(n => `${n} objects of files are missing`),
      ...problems.changed.describe(n => `${n} files are not as they were sent`),
      ...problems.orphaned.describe(n => `${n} objects belong to no file and can be deleted`),
      ...problems.withdrawn.describe(
        n => `${n} objects of withdrawn files are still stored; repeat "carnet media withdraw" for them`,
      ),
    ],
  }
}

/** Counts, and keeps a few. */
class Examples {
  private readonly kept: string[] = []
  private count = 0
  add(name: string): void {
    this.count++
    if (this.kept.length < MAX_NAMED) this.kept.push(name)
  }
  describe(toSentence: (n: number) => string): string[] {
    if (this.count === 0) return []
    const more = this.count > this.kept.length ? ', …' : ''
    return [`${toSentence(this.count)}: ${this.kept.join(', ')}${more}`]
  }
}

type Place = Pick<StoredRow, 'accountId' | 'id'>

/** Files that are ready, of one shard, by account and id. */
export const readRowPage = async (sql: Sql, after: Place): Promise<StoredRow[]> => sql<StoredRow[]>`
  select account_id as "accountId", encode(id, 'hex') as id, width, bytes from media
  where status = 'r' and (account_id, id) > (${after.accountId}, decode(${after.id}, 'hex'))
  order by account_id, id limit ${PAGE_ROWS}`

/** All pages. `read` reads one: the rows after a place. */
export async function* listRowPages(
  read: (after: Place) => Promise<StoredRow[]>,
): AsyncGenerator<StoredRow[]> {
  let after: Place = { accountId: 0, id: '' }
  for (;;) {
    const rows = await read(after)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ROWS) return
    after = last
  }
}

/** Some at a time. */
export async function forEachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  const workOff = async () => {
    for (const one of rest) await work(one)
  }
  await Promise.all(Array.from({ length: MAX_READS }, workOff))
}

async function isReady(sql: Sql, { accountId, id }: StoredRow): Promise<boolean> {
  const rows = await sql`
    select 1 from media where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r'`
  return rows.length > 0
}

async function* groupKeys(mediaStore: MediaStore): AsyncGenerator<string[]> {
  let keys: string[] = []
  for await (const key of mediaStore.listKeys()) {
    keys.push(key)
    if (keys.length < PAGE_ROWS) continue
    yield keys
    keys = []
  }
  if (keys.length > 0) yield keys
}

/** Objects of no file, and of withdrawn ones. One that is being written under a temporary name is neither. */
async function sortKeys(
  sql: Sql,
  keys: readonly string[],
): Promise<{ unknown: string[]; withdrawn: string[] }> {
  const parsed = keys.flatMap(key => {
    const [account = '', id = '', name = ''] = key.split('/')
    if (name.endsWith('.partial')) return []
    const isOurs = /^\d{1,9}$/.test(account) && MEDIA_ID.test(id)
    return [{ key, accountId: isOurs ? Number(account) : 0, id: isOurs ? id : '' }]
  })
  const [known, withdrawn] = [new Set<string>(), new Set<string>()]
  for (const shard of listShards(sql)) {
    const asked = [parsed.map(one => one.accountId), parsed.map(one => one.id)] as const
    const rows = await shard<{ place: string }[]>`
      select account_id || '/' || encode(id, 'hex') as place from media
      where (account_id, id) in (
        select k.account_id, decode(k.id, 'hex') from unnest(${asked[0]}::int[], ${asked[1]}::text[]) as k(account_id, id))`
    for (const { place } of rows) known.add(place)
    const tombstones = await shard<{ place: string }[]>`
      select account_id || '/' || encode(id, 'hex') as place from withdrawn_media
      where (account_id, id) in (
        select k.account_id, decode(k.id, 'hex') from unnest(${asked[0]}::int[], ${asked[1]}::text[]) as k(account_id, id))`
    for (const { place } of tombstones) withdrawn.add(place)
  }
  const isIn = (places: ReadonlySet<string>) => (one: (typeof parsed)[number]) =>
    places.has(`${one.accountId}/${one.id}`)
  const toKey = ({ key }: (typeof parsed)[number]) => key
  return {
    unknown: parsed.filter(one => !isIn(known)(one) && !isIn(withdrawn)(one)).map(toKey),
    withdrawn: parsed.filter(isIn(withdrawn)).map(toKey),
  }
}
