/** The letters the console sends: plain text, in the language of whoever caused them, each with one link. */

import type { Role } from '../../accounts/people/people.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import type { Email } from '../../kernel/http-out/smtp.ts'
import { type Words, wordsOf } from '../page/words.ts'

type Reset = { to: string; publicUrl: string; link: string }
type Invitation = Reset & { account: string; by: string; role: Role; isNew: boolean }

const LONGEST_NAME = 60

/**
 * A name that somebody chose and that goes out from the operator's server: short, and with nothing in it that a mail
 * program would make a link of.
 */
function unlinked(name: string): string {
  const words = stripDirectionMarks(name)
    .replace(/[:/\\@\s]+/g, ' ')
    .replace(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '. ')
  const letters = Array.from(words)
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : words
}

const en = {
  resetSubject: 'A new password for Carnet',
  reset: ({ publicUrl, link }: Reset) => `Hello,

somebody asked for a new password for your sign-in at ${publicUrl}.
With this link you set it, once, within two hours:

${link}

If that was not you, there is nothing to do: your password stays as it is.
`,
  invitationSubject: 'You were put into an account on Carnet',
  invitation: ({ account, by, publicUrl, link, isNew }: Invitation, role: string) => `Hello,

${by} has put you into the account “${unlinked(account)}” at ${publicUrl}, as ${role}.
${isNew ? 'With this link you set your password, once, within seven days:' : 'Sign in as usual, and you find it there:'}

${link}

If you did not expect this, ask ${by}, or let it be.
`,
}

const de: typeof en = {
  resetSubject: 'Ein neues Passwort für Carnet',
  reset: ({ publicUrl, link }) => `Guten Tag,

jemand hat um ein neues Passwort für Ihre Anmeldung unter ${publicUrl} gebeten.
Mit diesem Link legen Sie es fest, einmal, innerhalb von zwei Stunden:

${link}

Wenn Sie das nicht waren, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.
`,
  invitationSubject: 'Sie wurden in ein Konto auf Carnet aufgenommen',
  invitation: ({ account, by, publicUrl, link, isNew }, role) => `Guten Tag,

${by} hat Sie in das Konto „${unlinked(account)}“ unter ${publicUrl} aufgenommen, als ${role}.
${isNew ? 'Mit diesem Link legen Sie Ihr Passwort fest, einmal, innerhalb von sieben Tagen:' : 'Melden Sie sich wie gewohnt an, dort finden Sie es:'}

${link}

Wenn Sie das nicht erwartet haben, fragen Sie ${by}, oder lassen Sie es dabei.
`,
}

const TEXTS = { en, de }

export function resetLetter(words: Words, about: Reset): Email {
  const texts = wordsOf(words, TEXTS)
  return { to: about.to, subject: texts.resetSubject, text: texts.reset(about) }
}

export function invitationLetter(words: Words, about: Invitation): Email {
  const texts = wordsOf(words, TEXTS)
  const text = texts.invitation(about, words.texts.roles[about.role])
  return { to: about.to, subject: texts.invitationSubject, text }
}
