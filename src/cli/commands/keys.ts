/** `carnet keys`: the API keys of an account. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { isAccountOpen } from '../../accounts/account/close-account.ts'
import { listKeys, SCOPES } from '../../accounts/keys/keys.ts'
import { createOwnKey, revokeKeyByOperator } from '../../accounts/keys/own-keys.ts'
import { KEY_OVERLAP_MS, rotateKey } from '../../accounts/keys/rotate-key.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { ACCOUNT_OPTION, getAccountId, parseName } from '../command-line/account-arguments.ts'
import { type Command, CommandError, formatTable } from '../command-line/command.ts'
import { EXPIRY_HINT, parseExpiry, parseSpan } from '../command-line/parse-times.ts'
import { onStore } from '../store/with-store.ts'

export const keysCreate: Command = {
  usage: 'keys create --account A --scope full|read [--name N] [--expires D]',
  about: 'creates an API key; it is shown once and cannot be shown again',
  options: {
    ...ACCOUNT_OPTION,
    scope: { hint: 'full|read', about: 'whether it may write' },
    name: { hint: 'N', about: 'what it is for' },
    expires: { hint: 'D', about: EXPIRY_HINT },
  },
  run: onStore(
    args => {
      const expires = args.find('expires')
      return {
        accountId: getAccountId(args),
        scope: args.getOneOf('scope', SCOPES),
        name: args.find('name') === undefined ? 'From the command line' : parseName(args, 'name'),
        expiresAt: expires === undefined ? undefined : parseExpiry(expires, systemClock.now()),
      }
    },
    async (operator, { accountId, ...input }) => {
      const ctx = await actAsOperator(operator, accountId)
      if (!(await isAccountOpen(ctx))) {
        throw new CommandError(
          `Account ${accountId} is closed, so its keys do not work. Run "carnet accounts reopen ${accountId}" first.`,
        )
      }
      const { key, id, ...rest } = await createOwnKey(ctx, { ...input, createdBy: 'Operator' })
      const text = `${key}\n\nThat is key ${id} (${rest.scope}). Save it now: it is not shown again.`
      return { value: { id, key, ...rest }, text }
    },
  ),
}

export const keysList: Command = {
  usage: 'keys list --account A',
  about: "lists an account's API keys, without the keys themselves",
  options: ACCOUNT_OPTION,
  run: onStore(getAccountId, async (ctx, accountId) => {
    const keys = await listKeys(ctx, accountId)
    const rows = keys.map(key => [
      key.id,
      key.scope,
      `…${key.last4}`,
      key.last_used_at?.slice(0, 16) ?? 'never',
      key.revoked_at === null ? (key.expires_at?.slice(0, 16) ?? 'never') : 'revoked',
      key.name,
    ])
    const headings = ['ID', 'SCOPE', 'KEY', 'LAST USED', 'ENDS', 'NAME']
    return { value: keys, text: formatTable(headings, rows, 'The account has no keys.') }
  }),
}

export const keysRotate: Command = {
  usage: 'keys rotate ID [--overlap 24h]',
  about: 'replaces an API key; the old key works during the overlap, the new one is shown only now',
  positionals: ['ID'],
  options: {
    overlap: { hint: '24h', about: 'how long the old key still works: 7d, 12h, 30m; 0m ends it now' },
  },
  run: onStore(
    args => {
      const overlap = args.find('overlap')
      const overlapMs = overlap === undefined ? KEY_OVERLAP_MS : parseSpan('overlap', overlap)
      return { id: args.get('ID'), overlapMs, createdBy: 'Operator' }
    },
    async (ctx, input) => {
      const { key, id, replaced, ...rest } = await rotateKey(ctx, input)
      const until = replaced.expires_at.slice(0, 16).replace('T', ' ')
      const text = `${key}\n\nThat is key ${id} (${rest.scope}). It replaces ${replaced.id}, which ends ${until} UTC.\nSave it now: it is not shown again.`
      return { value: { id, key, ...rest, replaced }, text }
    },
  ),
}

export const keysRevoke: Command = {
  usage: 'keys revoke ID',
  about: 'revokes an API key, on every server within two seconds',
  positionals: ['ID'],
  run: onStore(
    args => args.get('ID'),
    async (ctx, id) => {
      const key = await revokeKeyByOperator(ctx, id)
      return { value: key, text: `Key ${key.id} "${key.name}" (…${key.last4}) is revoked.` }
    },
  ),
}
