/** Finds a file for a reader: whom its passports show it to. */
import { findHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { findCategory } from '../../categories/catalogue.ts'
import { disclose, discloseAll, listFiles } from '../../categories/disclose.ts'
import type { Audience } from '../../categories/field.ts'
import { pickText } from '../../categories/pick-text.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard, listShards } from '../../kernel/db/shards.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { findMedia } from '../../media/files/media-file.ts'
import { findPublicMedia, type PublicMedia, storePublicMedia } from '../../media/files/public-media.ts'
import { findWithdrawal, findWithdrawals, goneError } from '../../media/files/withdrawn-media.ts'
import { findBrandPicture } from '../../media/uses/brand-picture.ts'
import type { UseAudience } from '../../media/uses/media-use.ts'
import { listUses, type StoredUse } from '../../media/uses/served-uses.ts'
import { getPrimaryLanguage } from '../read/build-reading.ts'
import type { ValidLink } from './access-links.ts'

type Reader = Audience | 'owner'

/**
 * The file that a public page shows, in some version or in the account's block. Undefined for any other,
 * whether it exists or not.
 */
export async function findPublicFile(sql: Sql, id: string): Promise<PublicMedia | undefined> {
  const known = await findPublicMedia(sql, id)
  if (known !== undefined) return known
  const ofBrand = await findBrandPicture(sql, id)
  if (ofBrand !== undefined) return ofBrand
  for (const shard of listShards(sql)) {
    const uses = await listUses(shard, { id, audiences: ['p'] })
    const file = await findShown(shard, id, uses, 'public')
    if (file === undefined) continue
    await storePublicMedia(sql, file)
    return file
  }
  return undefined
}

const SEEN_BY = { legitimate_interest: ['p', 'l'], authority: ['p', 'l', 'a'] } as const satisfies Record<
  ValidLink['audience'],
  readonly UseAudience[]
>

/**
 * The file, if a passport that the link opens shows it to the link's audience in some version. Throws `gone`
 * if it would but for a withdrawal.
 */
export async function findFileForLink(
  sql: Sql,
  link: ValidLink,
  id: string,
): Promise<PublicMedia | undefined> {
  for (const { sql: shard } of await listShardsOf(sql, link.accountId)) {
    const file = (await findOwnUse(shard, link, id)) ?? (await findInheritedUse(shard, link, id))
    if (file === undefined) continue
    const withdrawal = (await findWithdrawals(shard, link.accountId, [id])).get(id)
    if (withdrawal !== undefined) throw goneError(withdrawal)
    return file
  }
  return undefined
}

async function listShardsOf(sql: Sql, accountId: number): Promise<{ sql: Sql }[]> {
  const home = await findHome(sql, accountId)
  const { spread } = home
  return spread === undefined ? [home] : spread.shards.map(shard => ({ sql: getShard(home.sql, shard) }))
}

/** For the passport itself, or its units. */
function findOwnUse(sql: Sql, { accountId, audience, passportUuid }: ValidLink, id: string) {
  const condition =
    passportUuid === null
      ? undefined
      : sql`(u.passport_id = ${passportUuid} or exists (
          select from passport p where p.id = u.passport_id and p.account_id = u.account_id
            and (p.parent_id = ${passportUuid} or p.model_id = ${passportUuid})))`
  return listUses(sql, {
    id,
    accountId,
    audiences: SEEN_BY[audience],
    withWithdrawn: true,
    ...(condition && { condition }),
  }).then(uses => findShown(sql, id, uses, audience))
}

/** A unit inherits from its batch and its model, unless it has a list of its own. */
async function findInheritedUse(
  sql: Sql,
  { accountId, audience, passportUuid }: ValidLink,
  id: string,
): Promise<PublicMedia | undefined> {
  if (passportUuid === null) return undefined
  const condition = sql`exists (
    select from passport p where p.id = ${passportUuid} and p.account_id = u.account_id and p.level <> 'm'
      and (p.parent_id = u.passport_id or p.model_id = u.passport_id))`
  const [use] = await listUses(sql, {
    id,
    accountId,
    audiences: SEEN_BY[audience],
    condition,
    withWithdrawn: true,
  })
  if (use === undefined) return undefined
  for (const version of await readDistinctVersions(sql, accountId, passportUuid)) {
    const name = findShownName(version, id, audience)
    if (name !== undefined) return { id, accountId, width: use.width, name }
  }
  return undefined
}

type VersionData = { category: string; schemaVersion: number; data: string }

/** Returns the data of the versions of a unit, without repetitions, the newest first. */
const readDistinctVersions = (sql: Sql, accountId: number, uuid: string): Promise<VersionData[]> => sql<
  VersionData[]
>`
  select v.category, v.schema_version as "schemaVersion", (coalesce(c.data || v.own, c.data))::text as data from (
    select p.category, all_versions.schema_version, all_versions.content_id, all_versions.own, max(all_versions.version_no) as newest
    from passport p
    cross join lateral (
      select p.schema_version, p.content_id, p.own, p.version_no
      union all
      select w.schema_version, w.content_id, w.own, w.version_no from passport_version w
      where w.passport_id = p.id and w.account_id = p.account_id
    ) all_versions
    where p.id = ${uuid} and p.account_id = ${accountId}
    group by 1, 2, 3, 4
  ) v
  join content c on c.id = v.content_id and c.account_id = ${accountId}
  order by v.newest desc limit ${MAX_VERSIONS}`

/** More are read by nobody: a unit inherits few contents, and a list of its own is in its own uses. */
const MAX_VERSIONS = 200

/** The first of these uses that the reader may see, by the data of its version. */
async function findShown(
  sql: Sql,
  id: string,
  uses: readonly StoredUse[],
  reader: Reader,
): Promise<PublicMedia | undefined> {
  for (const { accountId, passport, versionNo, width } of uses) {
    const [version] = await sql<VersionData[]>`
      select p.category, v.schema_version as "schemaVersion", (coalesce(c.data || v.own, c.data))::text as data
      from passport p
      cross join lateral (
        select p.schema_version, p.content_id, p.own where p.version_no = ${versionNo}
        union all
        select w.schema_version, w.content_id, w.own from passport_version w
        where w.passport_id = p.id and w.account_id = p.account_id and w.version_no = ${versionNo} and p.version_no <> ${versionNo}
      ) v
      join content c on c.id = v.content_id and c.account_id = p.account_id
      where p.id = ${passport} and p.account_id = ${accountId}`
    const name = version && findShownName(version, id, reader)
    if (name !== undefined) return { id, accountId, width, name }
  }
  return undefined
}

/** A name for the file, of what the reader may see; undefined if that does not refer to it. */
function findShownName(version: VersionData, id: string, reader: Reader): string | undefined {
  const category = findCategory(version.category, version.schemaVersion)
  if (category === undefined) return undefined
  const all: DataObject = JSON.parse(version.data)
  const seen = reader === 'owner' ? discloseAll(category, all) : disclose(category, all, reader).data
  const found = listFiles(category, seen).find(file => file.id === id)
  if (found === undefined) return undefined
  const [list, index] = found.path
  const entries = getOwn(seen, String(list))
  const entry: unknown = Array.isArray(entries) ? entries[Number(index)] : undefined
  return isObject(entry) ? nameDocument(entry, getPrimaryLanguage(all)) : DEFAULT_NAME
}

const DEFAULT_NAME = 'document'

function nameDocument({ title, type }: DataObject, primaryLanguage: string): string {
  const text = typeof title === 'string' ? title : pickText(title, [], primaryLanguage)?.text
  return [text, type].find(one => typeof one === 'string' && one.trim() !== '')?.toString() ?? DEFAULT_NAME
}

/** A file of the account, whether a passport refers to it or not. Throws `gone` for a withdrawn one. */
export async function findOwnFile(ctx: AccountContext, id: string): Promise<PublicMedia | undefined> {
  const file = await findMedia(ctx, id)
  const withdrawal = file === undefined ? await findWithdrawal(ctx, id) : undefined
  if (withdrawal !== undefined) throw goneError(withdrawal)
  if (file?.status !== 'ready') return undefined
  for (const { sql, accountId } of listAccountShards(ctx)) {
    const uses = await listUses(sql, { id, accountId, audiences: ['p', 'l', 'a', 'o'] })
    const shown = await findShown(sql, id, uses, 'owner')
    if (shown !== undefined) return shown
  }
  return { id, accountId: ctx.accountId, width: file.width, name: DEFAULT_NAME }
}
