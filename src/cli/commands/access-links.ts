/** `carnet access-links`: links that show more than the public sees. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import {
  createAccessLink,
  LINK_AUDIENCES,
  listAccessLinks,
  revokeAccessLink,
} from '../../passports/access/access-links.ts'
import { ACCOUNT_OPTION, getAccountId, parseName } from '../command-line/account-arguments.ts'
import { type Command, formatTable } from '../command-line/command.ts'
import { EXPIRY_HINT, parseExpiry } from '../command-line/parse-times.ts'
import { onStore } from '../store/with-store.ts'

export const accessLinksCreate: Command = {
  usage:
    'access-links create --account A [--passport P] --audience legitimate_interest|authority --label L --expires D',
  about: 'creates a link to data that is not public; its token is shown once and cannot be shown again',
  options: {
    ...ACCOUNT_OPTION,
    passport: {
      hint: 'P',
      about: 'the passport it opens, with its units; the default is all passports of the account',
    },
    audience: { hint: 'legitimate_interest|authority', about: 'which fields it shows' },
    label: { hint: 'L', about: 'who it is for' },
    expires: { hint: 'D', about: EXPIRY_HINT },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      passportId: args.find('passport'),
      audience: args.getOneOf('audience', LINK_AUDIENCES),
      label: parseName(args, 'label'),
      expiresAt: parseExpiry(args.get('expires'), systemClock.now()),
    }),
    async (operator, { accountId, ...input }) => {
      const { addresses } = operator
      const link = await createAccessLink(await actAsOperator(operator, accountId), { ...input, addresses })
      const { id, token, url, expires_at, ...rest } = link
      const shown =
        url ?? `${token}\n\nAppend ?access=${token} to the address of any passport of the account.`
      const text = `${shown}\n\nThat is access link ${id}, valid until ${expires_at}. Save it now: it is not shown again.`
      return { value: { id, token, url, expires_at, ...rest }, text }
    },
  ),
}

export const accessLinksList: Command = {
  usage: 'access-links list --account A',
  about: "lists an account's access links and how often each was used",
  options: ACCOUNT_OPTION,
  run: onStore(getAccountId, async (ctx, accountId) => {
    const links = await listAccessLinks(await actAsOperator(ctx, accountId))
    const rows = links.map(link => [
      link.id,
      link.audience,
      link.passport_id ?? 'all',
      link.revoked_at === null ? link.expires_at.slice(0, 16) : 'revoked',
      String(link.uses),
      link.label,
    ])
    const headings = ['ID', 'AUDIENCE', 'PASSPORT', 'ENDS', 'USES', 'LABEL']
    return { value: links, text: formatTable(headings, rows, 'The account has no access links.') }
  }),
}

export const accessLinksRevoke: Command = {
  usage: 'access-links revoke ID',
  about: 'revokes an access link at once',
  positionals: ['ID'],
  run: onStore(
    args => args.get('ID'),
    async (ctx, id) => {
      const link = await revokeAccessLink(ctx, id)
      return { value: link, text: `Access link ${link.id} "${link.label}" is revoked.` }
    },
  ),
}
