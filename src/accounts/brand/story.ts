/**
 * The block “From the brand” of an account's pages: what it says in its own words, apart from the data of
 * passports. Its content is read when a page is rendered; the version of the brand counts its changes.
 */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { getSharedDatabase } from '../../kernel/db/shards.ts'
import type { AccountContext } from '../account/context.ts'

/** By language, the code of an official language of the EU. */
export type StoryTexts = Readonly<Record<string, string>>
export type StoryLink = { url: string; label: StoryTexts }
/** `media`: id of a picture of the account. */
export type StoryPicture = { media: string; alt: StoryTexts }

/** At least one of the three. An empty line separates paragraphs of `text`. */
export type BrandStory = {
  text: StoryTexts | null
  links: readonly StoryLink[]
  picture: StoryPicture | null
}

export async function findStory({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<BrandStory | undefined> {
  const [row] = await sql<{ story: BrandStory | null }[]>`
    select story from brand where account_id = ${accountId}`
  return row?.story ?? undefined
}

/** Null removes it. Each call is a new version of the brand. */
export async function storeStory(
  { sql, accountId, actorId, clock }: AccountContext,
  story: BrandStory | null,
): Promise<void> {
  const now = clock.now()
  await sql`
    insert into brand as b (account_id, version, frame_ancestors, story, updated_at, updated_by)
    values (${accountId}, 1, '{}', ${story && JSON.stringify(story)}::text::json, ${now}, ${actorId})
    on conflict (account_id) do update set version = b.version + 1, story = excluded.story,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`
}

/** SQL: whether the account of `m`, a row of `media`, shows this file in its block. */
export const isStoryPicture = (sql: Sql): Fragment => sql`exists (
  select from brand b where b.account_id = m.account_id and b.story->'picture'->>'media' = encode(m.id, 'hex'))`

export async function isInStory(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  media: string,
): Promise<boolean> {
  const rows = await sql`
    select 1 from brand b where b.account_id = ${accountId} and b.story->'picture'->>'media' = ${media}`
  return rows.length > 0
}

/** For one picture; more would only repeat the same bytes. */
const MAX_ACCOUNTS = 20

/** The accounts that show the file in their blocks; at most 20. */
export async function listStoryAccounts(shard: Sql, media: string): Promise<number[]> {
  const sql = getSharedDatabase(shard)
  const rows = await sql<{ id: number }[]>`
    select account_id as id from brand b where b.story->'picture'->>'media' = ${media}
    order by account_id limit ${MAX_ACCOUNTS}`
  return rows.map(({ id }) => id)
}
