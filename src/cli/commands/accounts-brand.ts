/** `carnet accounts brand`: name, logo and accent colour of public pages, and who may frame them. */
import { readFileSync } from 'node:fs'
import { requireAccount } from '../../accounts/accounts.ts'
import { withActor } from '../../accounts/actors.ts'
import { buildAccent } from '../../accounts/brand/accent.ts'
import { type Brand, type BrandLogo, getBrand } from '../../accounts/brand/brand.ts'
import { MAX_LOGO_BYTES } from '../../accounts/brand/logo.ts'
import { type BrandChange, updateBrand } from '../../accounts/brand/update-brand.ts'
import { findErrorCode } from '../../kernel/errors.ts'
import { getAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  alignColumns,
  type Command,
  CommandError,
  UsageError,
} from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

/** The values of `--remove`, each with the change it makes. */
const REMOVALS: Readonly<Record<string, BrandChange>> = {
  name: { name: null },
  accent: { accent: null },
  logo: { logo: null },
  'dark-logo': { logoDark: null },
  'frame-ancestors': { frameAncestors: [] },
}
const MAX_FILE_BYTES = 1_048_576

export const accountsBrand: Command = {
  usage: 'accounts brand ID [--name N] [--accent C] [--logo FILE] [--dark-logo FILE] [--remove name,…] …',
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
    remove: { hint: 'name,…', about: `what to remove: ${Object.keys(REMOVALS).join(', ')}` },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args, 'ID'), change: readChange(args) }),
    async (operator, { accountId, change }) => {
      const account = await requireAccount(operator, accountId)
      const ctx = await withActor(operator, accountId)
      const isChange = Object.keys(change).length > 0
      const brand = await (isChange ? updateBrand(ctx, change) : getBrand(ctx))
      const value = brandRecord(brand, ctx.addresses.publicUrl)
      const rows = Object.entries(value).map(([key, shown]) => [key, [shown].flat().join(' ') || '–'])
      return { value, text: `Account ${account.id} "${account.name}":\n${alignColumns(rows)}` }
    },
  ),
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

function readChange(args: Arguments): BrandChange {
  const given: { [K in keyof BrandChange]: BrandChange[K] | undefined } = {
    name: args.find('name'),
    accent: args.find('accent'),
    logo: readPicture(args, 'logo'),
    logoDark: readPicture(args, 'dark-logo'),
    frameAncestors: args
      .find('frame-ancestors')
      ?.split(/[\s,]+/)
      .filter(origin => origin !== ''),
  }
  const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...readRemovals(args.find('remove')), ...change }
}

function readRemovals(text: string | undefined): BrandChange {
  const names = text?.split(',').map(name => name.trim()) ?? []
  const unknown = names.find(name => !Object.hasOwn(REMOVALS, name))
  if (unknown === undefined) return Object.assign({}, ...names.map(name => REMOVALS[name]))
  throw new UsageError(`--remove is "${text}": choose from ${Object.keys(REMOVALS).join(', ')}.`)
}

function readPicture(args: Arguments, option: string): Buffer | undefined {
  const path = args.find(option)
  if (path === undefined) return undefined
  try {
    const bytes = readFileSync(path)
    if (bytes.length <= MAX_FILE_BYTES) return bytes
  } catch (error) {
    throw new CommandError(
      `The file ${path} of --${option} cannot be read (${findErrorCode(error) ?? error}).`,
    )
  }
  throw new CommandError(
    `The file ${path} of --${option} is too large: a logo may have at most ${MAX_LOGO_BYTES} bytes.`,
  )
}
