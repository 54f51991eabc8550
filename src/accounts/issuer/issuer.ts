/** The issuer of an account: its name in a DID, and its keys, which sign passports and commit to versions. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { randomLetters } from '../../kernel/crypto/crypto.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShardNumber, perSharedDatabase } from '../../kernel/db/shards.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { type AccountPlace, placeColumns, toHome } from '../account/account-shard.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../account/context.ts'
import { requestRegistryCheck } from '../account/registry-settings.ts'
import { noteSettingChange, settingChanges } from '../account/setting-changes.ts'
import { type AccountIdentity, selectIdentity } from '../identity/identity.ts'
import {
  commitKeyPlace,
  createCommitKey,
  type IssuerContext,
  insertKey,
  NO_KEY,
  privateKeyPlace,
} from './stored-keys.ts'

/** A public P-256 key. `x` and `y` as in a JWK; `number` is the one in `key-1`. */
type StoredKey = { number: number; x: string; y: string; createdAt: Date; revokedAt: Date | null }

export type Issuer = {
  accountId: number
  /** Random; the last part of its DID. */
  name: string
  isSigning: boolean
  /** Oldest first. */
  keys: readonly StoredKey[]
  /** Null unless the operator has verified the account. */
  identity: AccountIdentity | null
}

type SigningKey = { number: number; privateKey: KeyObject }

/** An issuer with its secrets; undefined if encrypted under a `SECRET_KEY` that is not known. */
export type SecretIssuer = Issuer & { signingKey: SigningKey | undefined; commitKey: Buffer | undefined }

/** The numbers of its revoked keys, whose signatures prove nothing. */
export const listRevokedKeys = ({ keys }: Issuer): number[] =>
  keys.flatMap(({ number, revokedAt }) => (revokedAt === null ? [] : number))

export const ISSUER_NAME_LENGTH = 12

/**
 * Switches the signing of the account's public documents on or off. The first time creates the issuer and its
 * key.
 */
export async function setSigning(ctx: IssuerContext, isSigning: boolean): Promise<Issuer | undefined> {
  const now = ctx.clock.now()
  return change(ctx, async tx => {
    const before = await findIssuer(tx.sql, ctx.accountId)
    if (before === undefined && !isSigning) return undefined
    if (before?.isSigning === isSigning) return before
    if (before === undefined) {
      await tx.sql`
        insert into issuer (account_id, name, is_signing, commit_key, created_at)
        values (${ctx.accountId}, ${randomLetters(ISSUER_NAME_LENGTH)}, true, ${createCommitKey(ctx)}, ${now})`
      await insertKey(tx, 1)
    } else {
      await tx.sql`update issuer set is_signing = ${isSigning} where account_id = ${ctx.accountId}`
    }
    await audit(tx, isSigning ? 'signing_switched_on' : 'signing_switched_off', '')
    return findIssuer(tx.sql, ctx.accountId)
  })
}

/**
 * Signs with a new key from now on; what the old ones signed stays valid. A commit key that cannot be
 * decrypted is replaced, too. Throws `not_found`.
 */
export async function rotateSigningKey(ctx: IssuerContext): Promise<Issuer> {
  return change(ctx, async tx => {
    const { keys, commitKey } =
      (await findSecretIssuer(tx.sql, tx.secretCipher, tx.accountId)) ?? throwNeverSigned()
    const number = keys.length + 1
    await replaceKey(tx, number)
    if (commitKey === undefined) {
      await tx.sql`update issuer set commit_key = ${createCommitKey(tx)} where account_id = ${tx.accountId}`
    }
    await audit(tx, 'signing_key_rotated', `key-${number}`)
    return requireIssuer(tx)
  })
}

/**
 * Declares that a key was stolen: nothing that it signed is proof any more. A new key signs if it was the
 * newest. Throws `not_found`.
 */
export async function revokeSigningKey(ctx: IssuerContext, number: number): Promise<Issuer> {
  return change(ctx, async tx => {
    const { keys } = await requireIssuer(tx)
    const key = keys.find(one => one.number === number)
    if (key === undefined) throw notFound('key')
    if (key.revokedAt === null) {
      await tx.sql`
        update issuer_key set revoked_at = ${ctx.clock.now()} where account_id = ${ctx.accountId} and number = ${number}`
      if (number === keys.length) await replaceKey(tx, number + 1)
      await audit(tx, 'signing_key_revoked', `key-${number}`)
    }
    return requireIssuer(tx)
  })
}

/** Locks the account, so that two changes do not create the same key. */
async function change<T>(ctx: IssuerContext, work: (tx: IssuerContext) => Promise<T>): Promise<T> {
  return withTransaction(ctx, async tx => {
    const rows = await tx.sql`select from account where id = ${ctx.accountId} for no key update`
    if (rows.length === 0) throw notFound('account')
    noteSettingChange(tx.sql, ctx.accountId)
    const result = await work(tx)
    // Lines for the registry have the DID and the commitments.
    await requestRegistryCheck(tx)
    return result
  })
}

/** Verifiers need only the public part of the old keys, so nobody can ever sign with them again. */
async function replaceKey(ctx: IssuerContext, number: number): Promise<void> {
  await insertKey(ctx, number)
  await ctx.sql`
    update issuer_key set private_key = ${NO_KEY} where account_id = ${ctx.accountId} and number < ${number}`
}

async function requireIssuer({ sql, accountId }: AccountContext): Promise<Issuer> {
  return (await findIssuer(sql, accountId)) ?? throwNeverSigned()
}

function throwNeverSigned(): never {
  throw new AppError('not_found', 'This account has never signed. Switch signing on first.')
}

type Row = {
  account_id: number
  name: string
  is_signing: boolean
  commit_key: Buffer
  keys: KeyRow[]
  identity: AccountIdentity | null
}
type KeyRow = {
  number: number
  x: string
  y: string
  created_at: string
  revoked_at: string | null
  private_key: string
}

const selectIssuers = (sql: Sql) => sql`
  select i.account_id, i.name, i.is_signing, i.commit_key, (
    select jsonb_agg(jsonb_build_object('number', k.number, 'x', k.x, 'y', k.y, 'created_at', k.created_at,
      'revoked_at', k.revoked_at, 'private_key', encode(k.private_key, 'base64')) order by k.number)
    from issuer_key k where k.account_id = i.account_id) as keys,
    ${selectIdentity(sql, sql`i.account_id`)} as identity
  from issuer i`

const toIssuer = ({ account_id, name, is_signing, keys, identity }: Row): Issuer => ({
  accountId: account_id,
  name,
  isSigning: is_signing,
  identity,
  keys: keys.map(({ number, x, y, created_at, revoked_at }) => ({
    number,
    x,
    y,
    createdAt: new Date(created_at),
    revokedAt: revoked_at === null ? null : new Date(revoked_at),
  })),
})

export async function findIssuer(sql: Sql, accountId: number): Promise<Issuer | undefined> {
  const [row] = await sql<Row[]>`${selectIssuers(sql)} where i.account_id = ${accountId}`
  return row && toIssuer(row)
}

/** The issuer of a DID, which names no account. `name`: from an address, so it may be any text. */
export async function findIssuerByName(sql: Sql, name: string): Promise<Issuer | undefined> {
  if (!/^[\da-z]+$/.test(name)) return undefined
  const [row] = await sql<Row[]>`${selectIssuers(sql)} where i.name = ${name}`
  return row && toIssuer(row)
}

/** The accounts that have an issuer and whose home is this shard. */
export async function listIssuerAccounts(
  sql: Sql,
): Promise<{ accountId: number; spread: AccountContext['spread'] }[]> {
  const rows = await sql<(AccountPlace & { id: number })[]>`
    select a.id, ${placeColumns(sql)} from issuer i join account a on a.id = i.account_id
    where a.shard is not distinct from ${getShardNumber(sql)}::int order by a.id`
  return rows.map(row => ({ accountId: row.id, spread: toHome(sql, row).spread }))
}

const CACHE_MS = 1_000
const MAX_CACHED = 10_000

type CachedIssuer = { issuer: SecretIssuer | undefined }
/** `found` is undefined until the issuer was read. */
type CacheEntry = {
  at: number
  change: number
  issuer: Promise<SecretIssuer | undefined>
  found?: CachedIssuer
}

const issuerCaches = perSharedDatabase(() => new BoundedMap<number, CacheEntry>(MAX_CACHED))

/**
 * Returns what `getSecretIssuer` read within the last second, or `withinMs`; undefined if it read nothing.
 * Needs no database.
 */
export function findCachedIssuer(
  sql: Sql,
  accountId: number,
  now: Date,
  withinMs = CACHE_MS,
): CachedIssuer | undefined {
  return findCurrent(sql, accountId, now, withinMs)?.found
}

function findCurrent(sql: Sql, accountId: number, now: Date, withinMs: number): CacheEntry | undefined {
  const cached = issuerCaches(sql).get(accountId)
  if (cached === undefined || !settingChanges(sql).hasNoneSince(accountId, cached.change)) return undefined
  const age = now.getTime() - cached.at
  return age >= 0 && age < withinMs ? cached : undefined
}

/** The next reader of this process reads what is stored now. */
export const forgetIssuer = (sql: Sql, accountId: number) => issuerCaches(sql).delete(accountId)

/** The issuer with its secrets, cached for a second; undefined if the account has never signed. */
export function getSecretIssuer(
  sql: Sql,
  secretCipher: SecretCipher,
  accountId: number,
  now: Date,
): Promise<SecretIssuer | undefined> {
  const cache = issuerCaches(sql)
  const cached = findCurrent(sql, accountId, now, CACHE_MS)
  if (cached !== undefined) return cached.issuer
  const change = settingChanges(sql).now()
  const issuer = findSecretIssuer(sql, secretCipher, accountId)
  const entry: CacheEntry = { at: now.getTime(), change, issuer }
  cache.set(accountId, entry)
  issuer.then(
    found => {
      entry.found = { issuer: found }
    },
    () => {
      if (cache.get(accountId) === entry) cache.delete(accountId)
    },
  )
  return issuer
}

/** As it is stored now. Undefined if the account has never signed. */
export async function findSecretIssuer(
  sql: Sql,
  secretCipher: SecretCipher,
  accountId: number,
): Promise<SecretIssuer | undefined> {
  const [row] = await sql<Row[]>`${selectIssuers(sql)} where i.account_id = ${accountId}`
  if (row === undefined) return undefined
  const newest = row.keys.findLast(key => key.revoked_at === null)
  const encrypted = newest && Buffer.from(newest.private_key, 'base64')
  const text =
    newest && encrypted && secretCipher.decrypt(encrypted, privateKeyPlace(accountId, newest.number))
  const commitKey = secretCipher.decrypt(row.commit_key, commitKeyPlace(accountId))
  return {
    ...toIssuer(row),
    signingKey:
      newest && text
        ? {
            number: newest.number,
            privateKey: createPrivateKey({
              key: Buffer.from(text, 'base64url'),
              format: 'der',
              type: 'pkcs8',
            }),
          }
        : undefined,
    commitKey: commitKey === undefined ? undefined : Buffer.from(commitKey, 'base64url'),
  }
}

/** Returns true if this process can sign with a key of the account. */
export const canDecryptKey = (
  secretCipher: SecretCipher,
  accountId: number,
  { keyNumber, encryptedKey }: { keyNumber: number; encryptedKey: Uint8Array },
): boolean => secretCipher.decrypt(encryptedKey, privateKeyPlace(accountId, keyNumber)) !== undefined

type Secret = { account_id: number; number: number | null; encrypted: Buffer }

/** All secrets of issuers; `number` is null for the key of commitments. */
const readSecrets = (sql: Sql) => sql<Secret[]>`
  select account_id, null::integer as number, commit_key as encrypted from issuer
  union all select account_id, number, private_key from issuer_key where length(private_key) > 0`

const getPlace = ({ account_id, number }: Secret) =>
  number === null ? commitKeyPlace(account_id) : privateKeyPlace(account_id, number)

/** Counts the secrets of issuers that are encrypted with the current key, and the others. */
export async function countIssuerSecrets(
  { sql }: OperatorContext,
  secretCipher: SecretCipher,
): Promise<{ current: number; other: number }> {
  const all = await readSecrets(sql)
  const current = all.filter(
    one =>
      secretCipher.isUnderCurrentKey(one.encrypted) &&
      secretCipher.decrypt(one.encrypted, getPlace(one)) !== undefined,
  ).length
  return { current, other: all.length - current }
}

/**
 * Encrypts the secrets of issuers with the current key and returns how many it was. If one was encrypted with
 * an unknown key, throws `validation` and changes none.
 */
export async function reencryptIssuerSecrets(
  ctx: OperatorContext,
  secretCipher: SecretCipher,
): Promise<number> {
  return withTransaction(ctx, async ({ sql }) => {
    const old = (await readSecrets(sql)).filter(one => !secretCipher.isUnderCurrentKey(one.encrypted))
    for (const one of old) {
      const text = secretCipher.decrypt(one.encrypted, getPlace(one))
      if (text === undefined) {
        throw new AppError(
          'validation',
          `The signing keys of account ${one.account_id} can be decrypted neither with SECRET_KEY nor with OLD_SECRET_KEY.`,
        )
      }
      const encrypted = secretCipher.encrypt(text, getPlace(one))
      if (one.number === null)
        await sql`update issuer set commit_key = ${encrypted} where account_id = ${one.account_id}`
      else
        await sql`
          update issuer_key set private_key = ${encrypted}
          where account_id = ${one.account_id} and number = ${one.number}`
    }
    return old.length
  })
}
