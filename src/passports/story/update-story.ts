/** Sets or removes the block “From the brand” of an account's pages. */
import { isDeepStrictEqual } from 'node:util'
import { atHome } from '../../accounts/account/account-shard.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { type BrandStory, findStory, storeStory } from '../../accounts/brand/story.ts'
import { lockPicture } from '../../media/uses/brand-picture.ts'
import { checkStory } from './check-story.ts'

/** `sent`: as the command line reads it from a file; null removes the block. Throws `validation`. */
export async function updateStory(ctx: AccountContext, sent: unknown): Promise<void> {
  const story = sent === null ? null : checkStory(sent)
  await withTransaction(atHome(ctx), async tx => {
    if (story?.picture) await lockPicture(tx, story.picture.media, ['picture', 'media'])
    const changed = listChangedMembers((await findStory(tx)) ?? null, story)
    if (changed.length === 0) return
    await storeStory(tx, story)
    await audit(tx, 'brand_changed', changed.map(name => `story.${name}`).join(', '))
  })
}

const EMPTY: BrandStory = { text: null, links: [], picture: null }

const listChangedMembers = (before: BrandStory | null, after: BrandStory | null): string[] =>
  (['links', 'picture', 'text'] as const).filter(
    name => !isDeepStrictEqual((before ?? EMPTY)[name], (after ?? EMPTY)[name]),
  )
