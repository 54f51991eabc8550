/** `carnet users`: the people of an account. They set their own passwords; the operator never sees any. */
import { buildBrowserUrl, createBrowserLinkByOperator } from '../../accounts/people/browser-links.ts'
import { buildSetPasswordUrl } from '../../accounts/people/one-time-links.ts'
import { createPerson, ROLES, resetPassword } from '../../accounts/people/people.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import type { Command } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

const EMAIL_OPTION = { email: { hint: 'E', about: 'the e-mail address they sign in with' } }

export const usersCreate: Command = {
  usage: 'users create --account A --email E --role owner|editor|viewer',
  about: 'adds a person to an account and creates a link to set a password; it works once, within seven days',
  options: {
    ...ACCOUNT_OPTION,
    ...EMAIL_OPTION,
    role: { hint: 'owner|editor|viewer', about: 'what they may do' },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      email: args.get('email'),
      role: args.getOneOf('role', ROLES),
    }),
    async (ctx, input) => {
      const { id, email, token } = await createPerson(ctx, input)
      return described({ id, email, set_password_url: buildSetPasswordUrl(ctx.addresses.publicUrl, token) })
    },
  ),
}

export const usersResetPassword: Command = {
  usage: 'users reset-password --email E',
  about: 'creates a new link to set a password; the old password works until then',
  options: EMAIL_OPTION,
  run: onStore(
    args => ({ email: args.get('email') }),
    async (ctx, input) => {
      const { email, token } = await resetPassword(ctx, input)
      return described({ email, set_password_url: buildSetPasswordUrl(ctx.addresses.publicUrl, token) })
    },
  ),
}

export const usersBrowserLink: Command = {
  usage: 'users browser-link --email E',
  about:
    'creates a link that makes a browser known, so that attempts of others do not hold back the sign-in there; it signs nobody in',
  options: EMAIL_OPTION,
  run: onStore(
    args => ({ email: args.get('email') }),
    async (ctx, input) => {
      const { email, token } = await createBrowserLinkByOperator(ctx, input)
      const url = buildBrowserUrl(ctx.addresses.publicUrl, token)
      const text = `${url}\n\nSend this link to ${email}. It works once, within 30 minutes. The password is still needed.`
      return { value: { email, browser_url: url }, text }
    },
  ),
}

function described(value: { id?: string; email: string; set_password_url: string }) {
  const { email, set_password_url: url } = value
  return { value, text: `${url}\n\nSend this link to ${email}. It works once, within seven days.` }
}
