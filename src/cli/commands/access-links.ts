/** `carnet access-links`: links that show more than the public sees, to readers with a legitimate interest or authorities. */
import { actAsOperator } from '../../accounts/accounts.ts'
import { systemClock } from '../../kernel/clock.ts'
import {
  type AccessLinkRecord,
  createAccessLink,
  LINK_AUDIENCES,
  listAccessLinks,
  revokeAccessLink,
} from '../../passports/access/access-links.ts'
import { parseAccountId, parseName } from '../command-line/account-arguments.ts'
import { alignColumns, type Command } from '../command-line/command.ts'
import { EXPIRY_HINT, parseExpiry } from '../command-line/parse-times.ts'
import { withStore } from '../store/with-store.ts'

export const accessLinksCreate: Command = {
  usage:
    'access-links create --account A [--passport P] --audience legitimate_interest|authority --label L --expires D',
  about: 'creates a link to data that is not public; its token is shown once and cannot be shown again',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    passport: {
      hint: 'P',
      about: 'the passport it opens, with its units; the default is all passports of the account',
    },
    audience: { hint: 'legitimate_interest|authority', about: 'which fields it shows' },
    label: { hint: 'L', about: 'who it is for' },
    expires: { hint: 'D', about: EXPIRY_HINT },
  },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const input = {
      passportId: args.find('passport'),
      audience: args.getOneOf('audience', LINK_AUDIENCES),
      label: parseName(args, 'label'),
      expiresAt: parseExpiry(args.get('expires'), systemClock.now()),
    }
    return withStore(env, async ctx => {
      const link = await createAccessLink(await actAsOperator(ctx, accountId), {
        ...input,
        addresses: ctx.addresses,
      })
      const { id, token, url, expires_at, ...rest } = link
      const shown =
        url ?? `${token}\n\nAppend ?access=${token} to the address of any passport of the account.`
      const text = `${shown}\n\nThat is access link ${id}, valid until ${expires_at}. Keep it now: it is not shown again.`
      return { value: { id, token, url, expires_at, ...rest }, text }
    })
  },
}

export const accessLinksList: Command = {
  usage: 'access-links list --account A',
  about: "lists an account's access links and how often each was used",
  options: { account: { hint: 'A', about: 'the id of the account' } },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    return withStore(env, async ctx => {
      const links = await listAccessLinks(await actAsOperator(ctx, accountId))
      return {
        value: links,
        text: links.length === 0 ? 'The account has no access links.' : linkTable(links),
      }
    })
  },
}

export const accessLinksRevoke: Command = {
  usage: 'access-links revoke ID',
  about: 'revokes an access link at once',
  positionals: ['ID'],
  options: {},
  run: ({ args, env }) => {
    const id = args.get('ID')
    return withStore(env, async ctx => {
      const link = await revokeAccessLink(ctx, id)
      return { value: link, text: `Access link ${link.id} "${link.label}" is revoked.` }
    })
  },
}

function linkTable(links: readonly AccessLinkRecord[]): string {
  const rows = links.map(link => [
    link.id,
    link.audience,
    link.passport_id ?? 'all',
    link.revoked_at === null ? link.expires_at.slice(0, 16) : 'revoked',
    String(link.uses),
    link.label,
  ])
  return alignColumns([['ID', 'AUDIENCE', 'PASSPORT', 'ENDS', 'USES', 'LABEL'], ...rows])
}
