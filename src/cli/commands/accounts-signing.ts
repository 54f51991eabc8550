/** `carnet accounts signing`: whether the documents of an account are signed, and with which key. */
import { withActor } from '../../accounts/account/actors.ts'
import { findIssuer, type Issuer, rotateSigningKey, setSigning } from '../../accounts/issuer/issuer.ts'
import { revokeKeyAndSignatures } from '../../passports/signed/revoke-key.ts'
import { createIssuerDid } from '../../standards/signing/did-document.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  alignColumns,
  type Command,
  type CommandResult,
  UsageError,
} from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore, type StoreContext } from '../store/with-store.ts'

export const accountsSigning: Command = {
  usage: 'accounts signing --account A [--on | --off]',
  about: 'shows or changes whether the documents of an account for other systems are signed',
  options: {
    ...ACCOUNT_OPTION,
    on: { about: 'sign; the first time creates the key' },
    off: { about: 'sign no more; what is signed stays valid' },
  },
  run: onStore(
    args => ({ accountId: getAccountId(args), isOn: readSwitch(args) }),
    async (ctx, { accountId, isOn }) => {
      const account = await openAccount(ctx, accountId)
      return describe(
        ctx,
        isOn === undefined ? await findIssuer(ctx.sql, accountId) : await setSigning(account, isOn),
      )
    },
  ),
}

export const accountsSigningRotate: Command = {
  usage: 'accounts signing rotate --account A',
  about: 'signs with a new key from now on; what the old ones signed stays valid',
  options: ACCOUNT_OPTION,
  run: onStore(
    args => getAccountId(args),
    async (ctx, accountId) => describe(ctx, await rotateSigningKey(await openAccount(ctx, accountId))),
  ),
}

export const accountsSigningRevoke: Command = {
  usage: 'accounts signing revoke --account A --key KID',
  about: 'declares that a key was stolen: what it signed proves nothing any more, and is signed again',
  options: { ...ACCOUNT_OPTION, key: { hint: 'KID', about: 'the name of the key, such as key-1' } },
  run: onStore(
    args => ({ accountId: getAccountId(args), key: readKeyNumber(args.get('key')) }),
    async (ctx, { accountId, key }) => {
      const account = await openAccount(ctx, accountId)
      return describe(ctx, await revokeKeyAndSignatures(account, key))
    },
  ),
}

async function openAccount(ctx: StoreContext, accountId: number) {
  const { secretCipher } = buildWebhookSetup(ctx.config)
  const account = await withActor(ctx, accountId)
  return { ...account, secretCipher }
}

function readSwitch(args: Arguments): boolean | undefined {
  if (args.has('on') && args.has('off')) throw new UsageError('--on and --off exclude each other.')
  return args.has('on') ? true : args.has('off') ? false : undefined
}

function readKeyNumber(text: string): number {
  const number = /^key-([1-9]\d{0,5})$/.exec(text)?.[1]
  if (number === undefined) throw new UsageError(`--key is "${text}": it must be like key-1.`)
  return Number(number)
}

function describe({ addresses }: StoreContext, issuer: Issuer | undefined): CommandResult {
  if (issuer === undefined) return { value: { signing: false }, text: 'This account has never signed.' }
  const did = createIssuerDid(addresses.publicUrl, issuer.name)
  const keys = issuer.keys.map(({ number, createdAt, revokedAt }) => ({
    key: `key-${number}`,
    created_at: createdAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
  }))
  const rows = keys.map(one => [
    one.key,
    one.created_at,
    one.revoked_at === null ? '' : `revoked ${one.revoked_at}`,
  ])
  const text = `${did} ${issuer.isSigning ? 'signs' : 'does not sign'}.\n${alignColumns(rows)}`
  return { value: { signing: issuer.isSigning, did, keys }, text }
}
