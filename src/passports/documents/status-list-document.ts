/** Builds the status lists of an issuer: which of its credentials are revoked, and which are outdated. */
import { hash } from 'node:crypto'
import { findIssuerByName, getSecretIssuer, listRevokedKeys } from '../../accounts/issuer/issuer.ts'
import { unavailable } from '../../kernel/errors/errors.ts'
import { signVcJwt } from '../../standards/signing/credential.ts'
import { addProof } from '../../standards/signing/data-integrity.ts'
import { signJws } from '../../standards/signing/jws.ts'
import type { Signer } from '../../standards/signing/p256.ts'
import {
  buildStatusListCredential,
  buildTokenStatusList,
  createStatusBits,
  STATUS_LIST_JWT,
  type StatusList,
  setRevoked,
} from '../../standards/signing/status-list.ts'
import { countLists, listRevokedPlaces } from '../signed/credential-status.ts'
import { readMessages } from '../signed/list-messages.ts'
import {
  findSignedList,
  replaceSignedList,
  type SignedStatusList,
  type StatusListForm,
} from '../signed/signed-status-lists.ts'
import type { DocumentSetup } from './setup.ts'
import { findSigner, getDid } from './sign-document.ts'
import { buildMessageListUrl, buildStatusListUrl, buildTokenListUrl } from './status-place.ts'

/** How long readers may keep a list. */
export const STATUS_LIST_MAX_AGE_S = 300
const DAY_MS = 86_400_000
const SIGNED_AGAIN_MS = DAY_MS
const VALID_MS = 7 * DAY_MS

/**
 * By the last part of the issuer's DID; also of an account that has stopped signing, because its credentials
 * are still valid. Undefined if there is no such list. Throws `unavailable` if it cannot be signed.
 */
export async function buildSignedStatusList(
  setup: Pick<DocumentSetup, 'sql' | 'clock' | 'secretCipher' | 'addresses'>,
  issuerName: string,
  listNo: number,
  form: StatusListForm,
): Promise<string | undefined> {
  const { sql, clock, secretCipher } = setup
  const named = await findIssuerByName(sql, issuerName)
  const now = clock.now()
  const issuer = named && (await getSecretIssuer(sql, secretCipher, named.accountId, now))
  if (named === undefined || issuer === undefined || listNo < 1) return undefined
  if (listNo > (await countLists(sql, issuer.accountId))) return undefined
  const isMessage = form === 'message-vc' || form === 'message-vc-jwt'
  const { bits, at: signedAt } = isMessage
    ? await readMessages(setup, { accountId: issuer.accountId, listNo })
    : { bits: setBits(await listRevokedPlaces(sql, issuer.accountId, listNo)), at: now }
  const bitsHash = hash('sha256', bits, 'buffer')
  const place = { accountId: issuer.accountId, listNo, form }
  const before = await findSignedList(sql, place)
  if (
    before !== undefined &&
    isCurrent(before, { bitsHash, signedAt, revokedKeys: listRevokedKeys(named), now })
  )
    return before.signed
  const found = findSigner(setup, issuer)
  if (found === undefined) throw unavailable('The key that signs this list cannot be read right now.')
  const { signer, keyNumber } = found
  const list = {
    url: (isMessage ? buildMessageListUrl : buildStatusListUrl)(setup.addresses, issuerName, listNo),
    purpose: isMessage ? ('message' as const) : ('revocation' as const),
    did: getDid(setup, issuer),
    bits,
    validFrom: signedAt,
    validUntil: new Date(signedAt.getTime() + VALID_MS),
  }
  const tokenUrl = buildTokenListUrl(setup.addresses, issuerName, listNo)
  const next = {
    bitsHash,
    keyNumber,
    signedAt,
    signed: await signList(form === 'token' ? { ...list, url: tokenUrl } : list, form, signer),
  }
  return (await replaceSignedList(sql, place, { before, next })).signed
}

function setBits(places: readonly number[]): Uint8Array {
  const bits = createStatusBits()
  for (const index of places) setRevoked(bits, index, true)
  return bits
}

type Wanted = Pick<SignedStatusList, 'bitsHash' | 'signedAt'> & { revokedKeys: readonly number[]; now: Date }

/** A list with other bits is current if another process has read them later. */
function isCurrent(list: SignedStatusList, { bitsHash, signedAt, revokedKeys, now }: Wanted): boolean {
  const age = now.getTime() - list.signedAt.getTime()
  return (
    (list.bitsHash.equals(bitsHash) || list.signedAt > signedAt) &&
    !revokedKeys.includes(list.keyNumber) &&
    age >= 0 &&
    age < SIGNED_AGAIN_MS
  )
}

async function signList(list: StatusList, form: StatusListForm, signer: Signer): Promise<string> {
  switch (form) {
    case 'token':
      return signJws(buildTokenStatusList(list, STATUS_LIST_MAX_AGE_S), STATUS_LIST_JWT, signer)
    case 'vc-jwt':
    case 'message-vc-jwt':
      return signVcJwt(buildStatusListCredential(list), signer)
    case 'vc':
    case 'message-vc':
      return JSON.stringify(await addProof(buildStatusListCredential(list), signer, list.validFrom))
  }
}
