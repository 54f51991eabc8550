/** The block “From the brand”: all members see what it has, editors and owners change it. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { type BrandStory, findStory } from '../../accounts/brand/story.ts'
import { formatLanguage } from '../../i18n/format.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { MEDIA_ID } from '../../media/files/media-file.ts'
import { findFiles, listMedia } from '../../media/upkeep/list-media.ts'
import { updateStory } from '../../passports/story/update-story.ts'
import { parseFileCursor } from '../media/parts.ts'
import { isFine } from '../page/form.ts'
import { facts, section } from '../page/parts.ts'
import { BRAND, type Outcome, STORY, type Visit, type Words } from '../page/route.ts'
import { renderThumbnail } from '../page/thumbnails.ts'
import {
  buildSentStory,
  findStoryProblems,
  PICTURE_PAGE_SIZE,
  readStoryForm,
  type StoryPictures,
  storyPage,
  type TypedStory,
  typedStoryOf,
} from './story-form.ts'

/** CSS pixels. */
const SIDE = 96

/** Sums up the block, on the page of the brand. */
export function renderStorySummary(words: Words, story: BrandStory | undefined, mayChange: boolean): string {
  const texts = words.texts.story
  const link = html`<p class="choices"><a class="button second" href="${STORY}">${story === undefined ? texts.add : texts.edit}</a></p>`
  const content = story === undefined ? html`<p>${texts.none}</p>` : renderStoryFacts(words, story)
  return section(
    'story',
    texts.title,
    html`<p class="quiet">${texts.lead}</p>!${content}!${mayChange ? link : ''}`,
  )
}

function renderStoryFacts(words: Words, { text, links, picture }: BrandStory): string {
  const texts = words.texts.story
  const languages = Object.keys(text ?? {}).map(tag => formatLanguage(words.language, tag))
  const rows = [
    [texts.languages, languages.join(', ')],
    [texts.linksNow, links.map(({ url }) => url).join(', ')],
  ] as const
  const shown = rows.filter(([, value]) => value !== '')
  return (picture === null ? '' : html`<p>!${renderThumbnail(picture.media, SIDE)}</p>`) + facts(shown)
}

/** A page of pictures, newest first, and before them the chosen one if it is on another page. */
async function listPictures(
  ctx: AccountContext,
  { media: chosen, shown }: TypedStory,
): Promise<StoryPictures> {
  const after = parseFileCursor(shown)
  const found = await listMedia(ctx, { kind: 'picture', limit: PICTURE_PAGE_SIZE + 1, after })
  const ready = found.slice(0, PICTURE_PAGE_SIZE).filter(({ status }) => status === 'ready')
  if (chosen === '' || ready.some(({ id }) => id === chosen)) return { found, offered: ready }
  const known = await findFiles(ctx, MEDIA_ID.test(chosen) ? [chosen] : [])
  return { found, offered: [...known.values(), ...ready] }
}

export async function showStory({ ctx, words }: Visit): Promise<Outcome> {
  const typed = typedStoryOf(words, await findStory(ctx))
  return storyPage(words, { typed, pictures: await listPictures(ctx, typed) })
}

export async function submitStory({ ctx, words, form }: Visit): Promise<Outcome> {
  const typed = readStoryForm(words, form)
  const pictures = await listPictures(ctx, typed)
  if (typed.blankRows > 0 || typed.shown !== '') return storyPage(words, { typed, pictures })
  const problems = findStoryProblems(words, typed)
  if (!isFine(problems)) return storyPage(words, { typed, pictures, problems })
  try {
    await updateStory(ctx, buildSentStory(typed))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    return storyPage(words, { typed, pictures, problems: findStoryProblems(words, typed, error.details) })
  }
  return { to: `${BRAND}?saved=1` }
}
