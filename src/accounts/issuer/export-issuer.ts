/**
 * Exports and imports the issuer of an account. Its secret keys stay encrypted in the file, so only a server
 * with the same `SECRET_KEY` can sign with them again.
 */
import { createPublicKey } from 'node:crypto'
import { randomLetters } from '../../kernel/crypto/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { findIssuerByName, ISSUER_NAME_LENGTH } from './issuer.ts'
import {
  commitKeyPlace,
  createCommitKey,
  type IssuerContext,
  insertKey,
  NO_KEY,
  privateKeyPlace,
} from './stored-keys.ts'

/** `account`: the id under which the secrets are encrypted. Secrets in base64, '' for none. */
export type IssuerLine = {
  account: number
  name: string
  is_signing: boolean
  commit_key: string
  created_at: string
  /** By number, from 1. */
  keys: readonly {
    number: number
    x: string
    y: string
    private_key: string
    created_at: string
    revoked_at: string | null
  }[]
}

/** The parts that could not be kept. */
export type ImportedIssuer = { name: string; isNewName: boolean; isNewKey: boolean; isNewCommitKey: boolean }

/** No row, or one. */
export const exportIssuer = (sql: Sql, accountId: number) =>
  sql<IssuerLine[]>`
    select i.account_id as account, i.name, i.is_signing, encode(i.commit_key, 'base64') as commit_key, i.created_at, (
      select jsonb_agg(jsonb_build_object('number', k.number, 'x', k.x, 'y', k.y, 'created_at', k.created_at,
        'revoked_at', k.revoked_at, 'private_key', encode(k.private_key, 'base64')) order by k.number)
      from issuer_key k where k.account_id = i.account_id) as keys
    from issuer i where i.account_id = ${accountId}`

/**
 * Keeps the name unless another account has it, and all public keys. Creates a new key if the one that signs
 * cannot be decrypted. Throws `validation` for a line that `exportIssuer` cannot have written.
 */
export async function importIssuer(ctx: IssuerContext, line: IssuerLine): Promise<ImportedIssuer> {
  requireValid(line)
  const { sql, secretCipher, accountId } = ctx
  const decrypt = (base64: string, place: string) =>
    secretCipher.decrypt(Buffer.from(base64, 'base64'), place)
  const namesake = await findIssuerByName(sql, line.name)
  const name = namesake === undefined ? line.name : randomLetters(ISSUER_NAME_LENGTH)
  const commitKey = decrypt(line.commit_key, commitKeyPlace(line.account))
  const encryptedCommitKey =
    commitKey === undefined
      ? createCommitKey(ctx)
      : secretCipher.encrypt(commitKey, commitKeyPlace(accountId))
  await sql`
    insert into issuer (account_id, name, is_signing, commit_key, created_at)
    values (${accountId}, ${name}, ${line.is_signing}, ${encryptedCommitKey}, ${line.created_at})`
  const newest = line.keys.at(-1)
  const privateKey =
    newest === undefined || newest.revoked_at !== null
      ? undefined
      : decrypt(newest.private_key, privateKeyPlace(line.account, newest.number))
  for (const { number, x, y, created_at, revoked_at } of line.keys) {
    const place = privateKeyPlace(accountId, number)
    const encrypted =
      number === newest?.number && privateKey !== undefined ? secretCipher.encrypt(privateKey, place) : NO_KEY
    await sql`
      insert into issuer_key (account_id, number, x, y, private_key, created_at, revoked_at)
      values (${accountId}, ${number}, ${x}, ${y}, ${encrypted}, ${created_at}, ${revoked_at})`
  }
  if (privateKey === undefined) await insertKey(ctx, line.keys.length + 1)
  return {
    name,
    isNewName: name !== line.name,
    isNewKey: privateKey === undefined,
    isNewCommitKey: commitKey === undefined,
  }
}

function requireValid({ name, is_signing, commit_key, keys }: IssuerLine): void {
  const isValid =
    typeof name === 'string' &&
    /^[a-z0-9]{1,64}$/.test(name) &&
    typeof is_signing === 'boolean' &&
    typeof commit_key === 'string' &&
    Array.isArray(keys) &&
    keys.length > 0 &&
    keys.every((key, i) => isObject(key) && key.number === i + 1 && isP256(key))
  if (!isValid) throw invalidInput('The file contradicts itself: its signing keys are damaged.')
}

function isP256({ x, y }: DataObject): boolean {
  if (typeof x !== 'string' || typeof y !== 'string') return false
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
