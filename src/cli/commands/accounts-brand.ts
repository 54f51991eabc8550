/** `carnet accounts brand`: name, logo, colour and own words of public pages, and who may frame them. */
import { readFileSync } from 'node:fs'
import { requireAccount } from '../../accounts/account/accounts.ts'
import { withActor } from '../../accounts/account/actors.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { buildAccent } from '../../accounts/brand/accent.ts'
import { type Brand, type BrandLogo, getBrand } from '../../accounts/brand/brand.ts'
import { MAX_LOGO_BYTES } from '../../accounts/brand/logo.ts'
import { type BrandStory, findStory } from '../../accounts/brand/story.ts'
import { type BrandChange, updateBrand } from '../../accounts/brand/update-brand.ts'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { MAX_STORY_LINKS } from '../../passports/story/check-story.ts'
import { updateStory } from '../../passports/story/update-story.ts'
import { getAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  alignColumns,
  type Command,
  CommandError,
  UsageError,
} from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

/** `story`: the block “From the brand” as its file has it; null removes it. */
type Change = BrandChange & { story?: unknown }

/** The values of `--remove`, each with the change it makes. */
const REMOVALS: Readonly<Record<string, Change>> = {
  name: { name: null },
  accent: { accent: null },
  logo: { logo: null },
  'dark-logo': { logoDark: null },
  'frame-ancestors': { frameAncestors: [] },
  story: { story: null },
}
const MAX_FILE_BYTES = 1_048_576

export const accountsBrand: Command = {
  usage: 'accounts brand ID [--name N] [--accent C] [--logo FILE] [--story FILE] [--remove name,…] …',
  about: 'changes how the public pages of an account look; without options, shows it',
  positionals: ['ID'],
  options: {
    name: { hint: 'N', about: 'the name of the brand, shown at the top of pages without a logo' },
    accent: { hint: 'C', about: 'a colour such as #1a5f4b; pages darken or lighten it until it is readable' },
    logo: { hint: 'FILE', about: `a PNG, JPEG, WebP or SVG of at most ${MAX_LOGO_BYTES} bytes` },
    'dark-logo': {
      hint: 'FILE',
      about: 'the logo for dark pages; the default is the other logo on a light background',
    },
    'frame-ancestors': { hint: 'O,…', about: 'origins of websites that may show the pages in a frame' },
    story: {
      hint: 'FILE',
      about: `the block “From the brand” as JSON: text by language, up to ${MAX_STORY_LINKS} links, picture`,
    },
    remove: { hint: 'name,…', about: `what to remove: ${Object.keys(REMOVALS).join(', ')}` },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args, 'ID'), change: readChange(args) }),
    async (operator, { accountId, change }) => {
      const account = await requireAccount(operator, accountId)
      const ctx = await withActor(operator, accountId)
      await withTransaction(ctx, tx => applyChange(tx, change))
      const story = (await findStory(ctx)) ?? null
      const value = { ...brandRecord(await getBrand(ctx), ctx.addresses.publicUrl), story }
      const shownRows = Object.entries({ ...value, story: summarizeStory(story) })
      const rows = shownRows.map(([key, shown]) => [key, [shown].flat().join(' ') || '–'])
      return { value, text: `Account ${account.id} "${account.name}":\n${alignColumns(rows)}` }
    },
  ),
}

async function applyChange(ctx: AccountContext, { story, ...change }: Change): Promise<void> {
  if (story !== undefined) await updateStory(ctx, story)
  if (Object.keys(change).length > 0) await updateBrand(ctx, change)
}

/** Such as "text in de, en; 2 links; picture 5f2a…"; empty without a block. */
function summarizeStory(story: BrandStory | null): string {
  if (story === null) return ''
  const { text, links, picture } = story
  return [
    ...(text === null ? [] : [`text in ${Object.keys(text).join(', ')}`]),
    ...(links.length === 0 ? [] : [links.length === 1 ? '1 link' : `${links.length} links`]),
    ...(picture === null ? [] : [`picture ${picture.media}`]),
  ].join('; ')
}

/** `accent_light` and `accent_dark` are the colours that pages show. */
function brandRecord(brand: Brand, publicUrl: string) {
  const accent = brand.accent === null ? null : buildAccent(brand.accent)
  const address = (logo: BrandLogo | null) => (logo === null ? null : `${publicUrl}/brand/${logo.file}`)
  return {
    name: brand.name,
    accent: brand.accent,
    accent_light: accent?.light ?? null,
    accent_dark: accent?.dark ?? null,
    logo: address(brand.logo),
    dark_logo: address(brand.logoDark),
    frame_ancestors: brand.frameAncestors,
  }
}

function readChange(args: Arguments): Change {
  const given: { [K in keyof Change]: Change[K] | undefined } = {
    name: args.find('name'),
    accent: args.find('accent'),
    logo: readPicture(args, 'logo'),
    logoDark: readPicture(args, 'dark-logo'),
    story: readStoryFile(args.find('story')),
    frameAncestors: args
      .find('frame-ancestors')
      ?.split(/[\s,]+/)
      .filter(origin => origin !== ''),
  }
  const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...readRemovals(args.find('remove')), ...change }
}

function readRemovals(text: string | undefined): Change {
  const names = text?.split(',').map(name => name.trim()) ?? []
  const unknown = names.find(name => !Object.hasOwn(REMOVALS, name))
  if (unknown === undefined) return Object.assign({}, ...names.map(name => REMOVALS[name]))
  throw new UsageError(`--remove is "${text}": choose from ${Object.keys(REMOVALS).join(', ')}.`)
}

function readPicture(args: Arguments, option: string): Buffer | undefined {
  const path = args.find(option)
  if (path === undefined) return undefined
  const bytes = readOptionFile(path, option)
  if (bytes.length <= MAX_FILE_BYTES) return bytes
  throw new CommandError(
    `The file ${path} of --${option} is too large: a logo may have at most ${MAX_LOGO_BYTES} bytes.`,
  )
}

/** Its content is checked later. */
function readStoryFile(path: string | undefined): unknown {
  if (path === undefined) return undefined
  const story = tryParseJson(readOptionFile(path, 'story').toString('utf8'))
  if (typeof story === 'object' && story !== null) return story
  const example = '{"text": {"en": "…"}, "links": [{"url": "https://…", "label": {"en": "…"}}]}'
  throw new CommandError(`The file ${path} of --story has no JSON object such as ${example}.`)
}

function readOptionFile(path: string, option: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const reason = findErrorCode(error) ?? error
    throw new CommandError(`The file ${path} of --${option} cannot be read (${reason}).`)
  }
}
