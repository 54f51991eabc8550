/** Changes how an account's public pages look. */
import { hash } from 'node:crypto'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, withTransaction } from '../account/context.ts'
import { parseColour } from './accent.ts'
import { type Brand, getBrand } from './brand.ts'
import { type Logo, parseLogo } from './logo.ts'

/** Members that are left out stay as they are; `null` deletes the value. */
export type BrandChange = {
  name?: string | null
  accent?: string | null
  logo?: Buffer | null
  logoDark?: Buffer | null
  frameAncestors?: readonly string[]
}

export const MAX_BRAND_NAME_LENGTH = 100
export const MAX_FRAME_ANCESTORS = 20
/** A replaced logo stays for a day, because pages in caches still name it. */
const REPLACED_LIFETIME_MS = 86_400_000

/** Throws `validation` with every problem. */
export async function updateBrand(ctx: AccountContext, change: BrandChange): Promise<Brand> {
  const valid = requireValid(change)
  return withTransaction(ctx, async tx => {
    await touchLogos(tx)
    const logo = await storeLogo(tx, valid.logo)
    await write(tx, { ...valid, logo, logoDark: await storeLogo(tx, valid.logoDark) })
    await deleteReplacedLogos(tx)
    await audit(tx, 'brand_changed', Object.keys(change).sort().join(', '))
    return getBrand(tx)
  })
}

type WithLogos<L> = Omit<BrandChange, 'logo' | 'logoDark'> & Record<'logo' | 'logoDark', L | null | undefined>

/** Adds an error: the field, a code, and the rest of a sentence that begins with the field. */
type AddError = (field: string, code: DetailCode, message: string) => void

function requireValid(change: BrandChange): WithLogos<Logo> {
  const details: Detail[] = []
  const addError: AddError = (field, code, message) =>
    details.push({ path: [field], code, message: `${field} ${message}` })
  const checkLogo = (bytes: Buffer | null | undefined, field: string) => {
    const logo = bytes && parseLogo(bytes, field)
    if (!logo || 'bytes' in logo) return logo
    details.push(logo)
    return undefined
  }
  const valid = {
    ...change,
    name: checkName(change.name, addError),
    accent: checkAccent(change.accent, addError),
    frameAncestors: checkAncestors(change.frameAncestors, addError),
    logo: checkLogo(change.logo, 'logo'),
    logoDark: checkLogo(change.logoDark, 'logo_dark'),
  }
  if (details.length > 0) throw invalid(details)
  return valid as WithLogos<Logo>
}

function checkName(given: BrandChange['name'], addError: AddError): BrandChange['name'] {
  if (typeof given !== 'string') return given
  const name = given.trim()
  if (name === '' || isLongerThan(name, MAX_BRAND_NAME_LENGTH))
    addError('name', 'length', `must have 1 to ${MAX_BRAND_NAME_LENGTH} characters.`)
  if (!isOneLine(name)) addError('name', 'format', 'must be one line of text.')
  return name
}

function checkAccent(given: BrandChange['accent'], addError: AddError): BrandChange['accent'] {
  if (typeof given !== 'string') return given
  const colour = parseColour(given)
  if (colour === undefined) addError('accent', 'format', 'must be a colour such as #1a5f4b.')
  return colour
}

function checkAncestors(
  given: BrandChange['frameAncestors'],
  addError: AddError,
): BrandChange['frameAncestors'] {
  if (given === undefined) return undefined
  const origins = new Set<string>()
  for (const text of given) {
    const origin = parseFrameAncestor(text)
    if (origin !== undefined) origins.add(origin)
    else {
      const example = 'origins such as https://shop.example or https://*.shop.example'
      addError('frame_ancestors', 'format', `has "${text}": it takes ${example}.`)
    }
  }
  if (origins.size > MAX_FRAME_ANCESTORS)
    addError('frame_ancestors', 'max', `may have at most ${MAX_FRAME_ANCESTORS} origins.`)
  return [...origins]
}

/**
 * An https origin as CSP writes it, or http of this machine. A leading `*.` needs a name of two parts or
 * more. Security bound: other text could end the directive and begin another.
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

async function storeLogo(
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

/** One statement, so that concurrent changes of different members are both kept. */
async function write(
  { sql, accountId, actorId, clock }: AccountContext,
  change: WithLogos<string>,
): Promise<void> {
  const { name, accent, logo, logoDark, frameAncestors } = change
  const now = clock.now()
  const set = (column: string, value: unknown) =>
    value === undefined ? sql`` : sql`${sql(column)} = excluded.${sql(column)},`
  await sql`
    insert into brand as b (
      account_id, version, name, accent, logo, logo_dark, frame_ancestors, updated_at, updated_by
    ) values (
      ${accountId}, 1, ${name ?? null}, ${accent ?? null}, ${logo ?? null}, ${logoDark ?? null},
      ${[...(frameAncestors ?? [])]}::text[], ${now}, ${actorId}
    )
    on conflict (account_id) do update set
      version = b.version + 1, ${set('name', name)} ${set('accent', accent)} ${set('logo', logo)}
      ${set('logo_dark', logoDark)} ${set('frame_ancestors', frameAncestors)}
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`
}

/** Starts the lifetime of logos that are about to be replaced. */
async function touchLogos({ sql, accountId, clock }: AccountContext): Promise<void> {
  await sql`
    update brand_logo l set kept_since = ${clock.now()} from brand b
    where l.account_id = ${accountId} and b.account_id = l.account_id and l.hash in (b.logo, b.logo_dark)`
}

async function deleteReplacedLogos({ sql, accountId, clock }: AccountContext): Promise<void> {
  const before = new Date(clock.now().getTime() - REPLACED_LIFETIME_MS)
  await sql`
    delete from brand_logo l using brand b
    where l.account_id = ${accountId} and b.account_id = l.account_id and l.kept_since < ${before}
      and l.hash is distinct from b.logo and l.hash is distinct from b.logo_dark`
}
