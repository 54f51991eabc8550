/**
 * The e-mails of the console: plain text with one link each, in the language of the person who caused them.
 */

import type { Role } from '../../accounts/people/people.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import type { Email } from '../../kernel/http-out/smtp.ts'
import type { Words } from '../page/route.ts'

type LinkLetter = { to: string; publicUrl: string; link: string }
type Invitation = LinkLetter & { account: string; by: string; role: Role; isNew: boolean }

const MAX_NAME_LENGTH = 60

/**
 * A name chosen by somebody, sent by the operator's server: shortened, and without anything that mail
 * programs turn into a link.
 */
function unlinked(name: string): string {
  const words = stripDirectionMarks(name)
    .replace(/[:/\\@\s]+/g, ' ')
    .replace(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '. ')
  const letters = Array.from(words)
  return letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : words
}

export function resetLetter({ texts: { emails } }: Words, { to, publicUrl, link }: LinkLetter): Email {
  return { to, subject: emails.resetSubject, text: emails.reset({ publicUrl, link }) }
}

/** To the operator. It has nothing that the account wrote. */
export function verificationEmail(
  { texts: { emails } }: Words,
  { to, publicUrl, account }: { to: string; publicUrl: string; account: number },
): Email {
  const text = emails.verification({ publicUrl, account: String(account) })
  return { to, subject: emails.verificationSubject, text }
}

export function browserLetter({ texts: { emails } }: Words, { to, publicUrl, link }: LinkLetter): Email {
  return { to, subject: emails.browserSubject, text: emails.browser({ publicUrl, link }) }
}

export function invitationLetter({ texts: { emails, roles } }: Words, about: Invitation): Email {
  const { to, by, publicUrl, link, isNew } = about
  const text = isNew ? emails.invitationNew : emails.invitationKnown
  return {
    to,
    subject: emails.invitationSubject,
    text: text({ by, account: unlinked(about.account), publicUrl, link, role: roles[about.role] }),
  }
}
