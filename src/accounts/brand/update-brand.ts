/** Changes how an account's public pages look. */
import { hash } from 'node:crypto'
import { isLongerThan, isOneLine } from '../../kernel/characters.ts'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors.ts'
import { audit } from '../audit.ts'
import type { AccountContext } from '../context.ts'
import { withTransaction } from '../transaction.ts'
import { parseColour } from './accent.ts'
import { type Brand, getBrand, invalidateBrand } from './brand.ts'
import { type Logo, parseLogo } from './logo.ts'

/** What is left out stays as it is; `null` takes it away. */
export type BrandChange = {
  name?: string | null
  accent?: string | null
  /** The picture's bytes. */
  logo?: Buffer | null
  logoDark?: Buffer | null
  frameAncestors?: readonly string[]
}

export const MAX_BRAND_NAME_LENGTH = 100
export const MAX_FRAME_ANCESTORS = 20
/** A replaced logo stays a day: pages in caches still name it. */
const REPLACED_KEPT_MS = 86_400_000

/** Throws `validation` with every problem; then nothing was changed. */
export async function updateBrand(ctx: AccountContext, change: BrandChange): Promise<Brand> {
  const sound = requireSound(change)
  const brand = await withTransaction(ctx, async tx => {
    await keepCurrent(tx)
    const logo = await keepLogo(tx, sound.logo)
    const logoDark = await keepLogo(tx, sound.logoDark)
    await write(tx, { ...sound, logo, logoDark })
    await removeReplaced(tx)
    await audit(tx, 'brand_changed', Object.keys(change).sort().join(', '))
    return getBrand(tx)
  })
  invalidateBrand(ctx.sql, ctx.accountId)
  return brand
}

type Sound = Omit<BrandChange, 'logo' | 'logoDark'> & {
  logo: Logo | null | undefined
  logoDark: Logo | null | undefined
}

/** What is wrong with a field: its name, a code, and the rest of a sentence that begins with the name. */
type Complain = (field: string, code: DetailCode, message: string) => void

function requireSound(change: BrandChange): Sound {
  const details: Detail[] = []
  const complain: Complain = (field, code, message) =>
    details.push({ path: [field], code, message: `${field} ${message}` })
  const picture = (bytes: Buffer | null | undefined, field: string) => {
    if (bytes === null || bytes === undefined) return bytes
    const checked = parseLogo(bytes, field)
    if ('bytes' in checked) return checked
    details.push(checked)
    return undefined
  }
  const sound = {
    ...change,
    name: checkName(change.name, complain),
    accent: checkAccent(change.accent, complain),
    frameAncestors: checkAncestors(change.frameAncestors, complain),
    logo: picture(change.logo, 'logo'),
    logoDark: picture(change.logoDark, 'logo_dark'),
  }
  if (details.length > 0) throw invalid(details)
  return sound as Sound
}

function checkName(given: BrandChange['name'], complain: Complain): BrandChange['name'] {
  if (typeof given !== 'string') return given
  const name = given.trim()
  if (name === '' || isLongerThan(name, MAX_BRAND_NAME_LENGTH)) {
    complain('name', 'length', `must have 1 to ${MAX_BRAND_NAME_LENGTH} characters.`)
  }
  if (!isOneLine(name)) complain('name', 'format', 'must be one line of text.')
  return name
}

function checkAccent(given: BrandChange['accent'], complain: Complain): BrandChange['accent'] {
  if (typeof given !== 'string') return given
  const colour = parseColour(given)
  if (colour === undefined) complain('accent', 'format', 'must be a colour such as #1a5f4b.')
  return colour
}

function checkAncestors(
  given: BrandChange['frameAncestors'],
  complain: Complain,
): BrandChange['frameAncestors'] {
  if (given === undefined) return undefined
  const origins = new Set<string>()
  for (const text of given) {
    const origin = parseFrameAncestor(text)
    if (origin !== undefined) origins.add(origin)
    else {
      const example = 'origins such as https://shop.example or https://*.shop.example'
      complain('frame_ancestors', 'format', `has "${text}": it takes ${example}.`)
    }
  }
  if (origins.size > MAX_FRAME_ANCESTORS) {
    complain('frame_ancestors', 'max', `takes at most ${MAX_FRAME_ANCESTORS} origins.`)
  }
  return [...origins]
}

/**
 * An https origin as CSP writes it, a leading `*.` standing for all below a name of two parts or more; plain http for
 * this machine only. What is not written from scratch here could end the directive and begin another.
 */
export function parseFrameAncestor(text: string): string | undefined {
  const [, scheme, host = '', port = ''] =
    /^(https?):\/\/((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)(:\d{1,5})?\/?$/.exec(text.trim().toLowerCase()) ??
    []
  if (scheme === undefined || host.length > 253) return undefined
  if (host.startsWith('*.') && host.split('.').length < 3) return undefined
  if (scheme === 'http' && host !== 'localhost') return undefined
  return `${scheme}://${host}${port}`
}

/** Stores the picture and gives its hash; `undefined` and `null` as they are. */
async function keepLogo(
  { sql, accountId, clock }: AccountContext,
  logo: Logo | null | undefined,
): Promise<string | null | undefined> {
  if (logo === null || logo === undefined) return logo
  const digest = hash('sha256', logo.bytes, 'hex').slice(0, 32)
  await sql`
    insert into brand_logo (account_id, hash, type, width, height, bytes, kept_since)
    values (${accountId}, ${digest}, ${logo.type}, ${logo.width}, ${logo.height}, ${logo.bytes}, ${clock.now()})
    on conflict (account_id, hash) do update set kept_since = excluded.kept_since`
  return digest
}

type Stored = Omit<BrandChange, 'logo' | 'logoDark'> & {
  logo: string | null | undefined
  logoDark: string | null | undefined
}

/** One statement, so that two changes of different things at once are both kept. */
async function write({ sql, accountId, actorId, clock }: AccountContext, change: Stored): Promise<void> {
  const { name, accent, logo, logoDark, frameAncestors } = change
  const now = clock.now()
  const set = (column: string, value: unknown) =>
    sql`${sql(column)} = case when ${value !== undefined}::boolean then excluded.${sql(column)} else b.${sql(column)} end`
  await sql`
    insert into brand as b (
      account_id, version, name, accent, logo, logo_dark, frame_ancestors, updated_at, updated_by
    ) values (
      ${accountId}, 1, ${name ?? null}, ${accent ?? null}, ${logo ?? null}, ${logoDark ?? null},
      ${listOf(frameAncestors)}::text[], ${now}, ${actorId}
    )
    on conflict (account_id) do update set
      version = b.version + 1, ${set('name', name)}, ${set('accent', accent)}, ${set('logo', logo)},
      ${set('logo_dark', logoDark)}, ${set('frame_ancestors', frameAncestors)},
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`
}

const listOf = (origins: BrandChange['frameAncestors']) => [...(origins ?? [])]

/** The day that a replaced logo stays begins with its replacement. */
async function keepCurrent({ sql, accountId, clock }: AccountContext): Promise<void> {
  await sql`
    update brand_logo l set kept_since = ${clock.now()} from brand b
    where l.account_id = ${accountId} and b.account_id = l.account_id and l.hash in (b.logo, b.logo_dark)`
}

async function removeReplaced({ sql, accountId, clock }: AccountContext): Promise<void> {
  const before = new Date(clock.now().getTime() - REPLACED_KEPT_MS)
  await sql`
    delete from brand_logo l using brand b
    where l.account_id = ${accountId} and b.account_id = l.account_id and l.kept_since < ${before}
      and l.hash is distinct from b.logo and l.hash is distinct from b.logo_dark`
}
