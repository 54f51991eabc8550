/**
 * Stores if an account prepares its passports for the EU registry, and where copies of them are published.
 */
import type { Sql } from '../../kernel/db/database.ts'
import { getShardNumber } from '../../kernel/db/shards.ts'
import { invalidField, notFound } from '../../kernel/errors/errors.ts'
import { type AuditAction, audit } from './audit.ts'
import { type AccountContext, withTransaction } from './context.ts'

export type RegistrySettings = {
  isOn: boolean
  /** Without a slash at the end; null without copies. */
  backupBaseUrl: string | null
}

/** Also `round`, which changes whenever all lines must be compared with their passports again. */
export type StoredRegistrySettings = RegistrySettings & { round: number }

/** Throws `not_found`. */
export async function readRegistrySettings(sql: Sql, accountId: number): Promise<StoredRegistrySettings> {
  const [row] = await sql<StoredRegistrySettings[]>`
    select uses_registry as "isOn", backup_base_url as "backupBaseUrl", registry_round as round
    from account where id = ${accountId}`
  if (row === undefined) throw notFound('account')
  return row
}

/** Throws `not_found`. */
export const setRegistryUse = (ctx: AccountContext, isOn: boolean): Promise<RegistrySettings> =>
  change(ctx, before => ({
    settings: { ...before, isOn },
    entry: before.isOn === isOn ? undefined : [isOn ? 'registry_switched_on' : 'registry_switched_off', ''],
  }))

/** `url`: an address that `parseBackupUrl` has returned, or null for none. Throws `not_found`. */
export const setBackupUrl = (ctx: AccountContext, url: string | null): Promise<RegistrySettings> =>
  change(ctx, before => ({
    settings: { ...before, backupBaseUrl: url },
    entry: before.backupBaseUrl === url ? undefined : ['backup_url_changed', url ?? ''],
  }))

type Change = { settings: RegistrySettings; entry: [AuditAction, string] | undefined }

/** The lines of all passports have the settings in them, so workers check all of them again. */
async function change(
  ctx: AccountContext,
  decide: (before: RegistrySettings) => Change,
): Promise<RegistrySettings> {
  return withTransaction(ctx, async tx => {
    const locked = await tx.sql`select from account where id = ${ctx.accountId} for no key update`
    if (locked.length === 0) throw notFound('account')
    const { round: _, ...before } = await readRegistrySettings(tx.sql, ctx.accountId)
    const { settings, entry } = decide(before)
    if (entry === undefined) return settings
    await tx.sql`
      update account set uses_registry = ${settings.isOn}, backup_base_url = ${settings.backupBaseUrl},
        registry_round = registry_round + 1
      where id = ${ctx.accountId}`
    await audit(tx, ...entry)
    return settings
  })
}

/** The lines of all passports may have changed. Call it in the transaction that changes them. */
export const requestRegistryCheck = async ({ sql, accountId }: AccountContext): Promise<void> =>
  void (await sql`update account set registry_round = registry_round + 1 where id = ${accountId}`)

const MAX_URL_LENGTH = 500
const FIELD = 'backup_base_url'

/** `name` is for callers with their own messages. */
export type BackupUrlError = { name: 'length' | 'https' | 'characters' | 'slash' | 'same'; sentence: string }

/** Returns the problem of a typed address, or undefined. */
export function findBackupUrlError(text: string, publicUrl: string): BackupUrlError | undefined {
  const error = (name: BackupUrlError['name'], sentence: string) => ({ name, sentence })
  if (text.length > MAX_URL_LENGTH)
    return error('length', `The address is longer than ${MAX_URL_LENGTH} characters. Use a shorter one.`)
  if (!/^https:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return error('https', 'The address must be a full one that begins with https://.')
  const url = new URL(text)
  // The registry gets the address with /p/{id} behind it.
  if (/[\s\\?#\p{Cc}\p{Cf}]/u.test(text) || url.username !== '' || url.password !== '')
    return error(
      'characters',
      'The address must have no spaces, no password, and no ? or #: /p/ and the id of a passport follow it.',
    )
  if (text.endsWith('/')) return error('slash', 'The address must not end with a slash. Leave the slash out.')
  if (normalize(text) === normalize(publicUrl))
    return error(
      'same',
      'This is the address of the passports themselves. A copy must be at another address.',
    )
  return undefined
}

/** The address as it is stored. Throws `validation`. */
export function parseBackupUrl(text: string, publicUrl: string): string {
  const typed = text.trim()
  const error = findBackupUrlError(typed, publicUrl)
  if (error !== undefined)
    throw invalidField([FIELD], error.name === 'length' ? 'length' : 'format', error.sentence)
  return normalize(typed)
}

/** Lower-case host, no default port, no slash at the end. */
const normalize = (text: string): string => new URL(text).href.replace(/\/+$/, '')

/** The open accounts with passports on this shard that use the registry. */
export async function listRegistryAccounts(sql: Sql): Promise<number[]> {
  const shard = getShardNumber(sql)
  const rows = await sql<{ id: number }[]>`
    select a.id from account a
    where a.uses_registry and a.closed_at is null and a.move_shard is null
      and (a.shard is not distinct from ${shard} or ${shard}::smallint = any(a.shards))
    order by a.id`
  return rows.map(({ id }) => id)
}
