/** Renders the pages about people. */

import { html } from 'ghtml'
import type { Member } from '../../accounts/people/members.ts'
import { ROLES } from '../../accounts/people/people.ts'
import { isFine, type Problems } from '../page/form.ts'
import {
  backLink,
  copyable,
  doneNotice,
  input,
  notice,
  questionPage,
  rowList,
  section,
  select,
  summary,
} from '../page/parts.ts'
import type { ConsolePage, Visit, Words } from '../page/route.ts'
import { PEOPLE, settingsHead } from './places.ts'

/** `role` is empty until a person chooses. */
export type InvitationForm = { email: string; role: string }
type Shown = { members: readonly Member[]; self: string; typed: InvitationForm; problems: Problems }

export function peoplePage(visit: Visit, { members, self, typed, problems }: Shown): ConsolePage {
  const { words, session, setup, query } = visit
  const texts = words.texts.people
  const isOwner = session.role === 'owner'
  const invited = query.get('invited')
  // Only a member of the list: the address must not put other words on the page.
  const newest = members.find(member => member.email === invited && isFine(problems))
  const said = setup.mail.hasServer ? texts.invited : texts.invitedSilently
  const done =
    newest === undefined
      ? ''
      : doneNotice(said({ email: newest.email, role: words.texts.roles[newest.role] }))
  const rows = members.map(member => row(words, member, { isSelf: member.id === self, isOwner }))
  const body = html`!${settingsHead(words, texts)}!${done}
!${summary(words.texts, problems, { email: words.texts.signIn.email, role: texts.role })}
!${rowList(rows)}!${isOwner ? inviteForm(visit, typed, problems) : ''}`
  return { title: texts.title, body, status: isFine(problems) ? 200 : 422 }
}

function row(words: Words, member: Member, as: { isSelf: boolean; isOwner: boolean }): string {
  const texts = words.texts.people
  const facts = [
    words.texts.roles[member.role],
    texts.since({ date: words.date(member.since) }),
    member.hasPassword ? null : texts.notYet,
  ]
  const act = (path: string, word: string) =>
    html`<a class="action" href="${PEOPLE}/${path}">${word}<span class="sight"> ${member.email}</span></a>`
  const acts = as.isOwner
    ? act(member.id, texts.change)
    : as.isSelf
      ? act(`${member.id}/remove`, texts.leave)
      : ''
  const you = as.isSelf ? html` <span class="badge">${texts.you}</span>` : ''
  return html`<li class="with-act"><div><strong>${member.email}</strong>!${you}
<span class="quiet line">${facts.filter(fact => fact !== null).join(' · ')}</span></div>!${acts}</li>`
}

const roleChoice = ({ texts }: Words, value: string) => {
  const options = ROLES.map(role => [role, texts.roles[role]] as const)
  const unchosen = value === '' ? [['', texts.page.choose] as const] : []
  return {
    name: 'role',
    label: texts.people.role,
    hint: texts.people.roleHint,
    value,
    options: [...unchosen, ...options],
  }
}

function inviteForm({ words, setup }: Visit, typed: InvitationForm, problems: Problems): string {
  const texts = words.texts.people
  const email = {
    name: 'email',
    label: words.texts.signIn.email,
    hint: setup.mail.hasServer ? texts.inviteHint : texts.inviteHintShown,
    type: 'email',
    value: typed.email,
  } as const
  const content = html`
<form method="post" action="${PEOPLE}" novalidate class="narrow">
!${input(email, problems)}!${select(roleChoice(words, typed.role), problems)}
<button>${texts.inviteSubmit}</button></form>`
  return section('invite', texts.invite, content)
}

const toPeople = (words: Words) => backLink(PEOPLE, words.texts.people.title)

type Told = { refusal?: string; isInvited?: boolean; isSignedOut?: boolean }

export function personPage(
  { words, setup }: Visit,
  member: Member,
  problems: Problems,
  { refusal, isInvited = false, isSignedOut = false }: Told = {},
): ConsolePage {
  const texts = words.texts.people
  const { id, email } = member
  const isDone = isInvited || isSignedOut
  const said = isInvited ? texts.invitedAgain({ email }) : texts.sessionsEndedOf({ email })
  const smallForm = (action: string, name: string, lead: string, submit: string) =>
    html`<form method="post" action="${PEOPLE}/${id}/${action}" class="narrow"><p class="hint" id="${name}">${lead}</p><button class="second" aria-describedby="${name}">${submit}</button></form>`
  const inviteAgain = setup.mail.hasServer
    ? smallForm('invite', 'again', texts.inviteAgainLead, texts.inviteAgain)
    : smallForm('invite', 'again', texts.inviteAgainLeadShown, texts.inviteAgainShown)
  const body = html`!${toPeople(words)}<h1>${member.email}</h1>
<p class="lead">${texts.since({ date: words.date(member.since) })}!${member.hasPassword ? '' : html` · ${texts.notYet}`}</p>!${isDone ? doneNotice(said) : ''}!${notice(refusal)}
!${summary(words.texts, problems, { role: texts.role })}!${member.hasPassword ? '' : inviteAgain}
<form method="post" action="${PEOPLE}/${member.id}" novalidate class="narrow">
!${select(roleChoice(words, member.role), problems)}<button>${texts.saveRole}</button></form>
!${smallForm('end-sessions', 'end', texts.endSessionsLead, texts.endSessionsOf)}
<p><a class="alone" href="${PEOPLE}/${id}/remove">${texts.remove}</a></p>`
  return { title: member.email, body, status: isFine(problems) ? 200 : 422 }
}

/** For an owner who passes the link on; the link is never shown again. */
export function invitationPage({ words }: Visit, member: Member, link: string): ConsolePage {
  const texts = words.texts.people
  const field = { name: 'link', label: texts.invitationLink, value: link, rows: 3 }
  const body = html`!${toPeople(words)}<h1>${texts.invitationShown({ email: member.email })}</h1><p class="lead">${texts.invitationShownLead({ role: words.texts.roles[member.role] })}</p>
!${copyable(words.texts, field)}<p class="choices"><a class="button" href="${PEOPLE}">${texts.invitationDone}</a></p>`
  return { title: texts.invitationShown({ email: member.email }), body, scripts: ['copy'] }
}

/** Asks for confirmation before a person is removed or leaves. */
export function removalPage(
  { words, session }: Visit,
  member: Member,
  isSelf: boolean,
  refusal?: string,
): ConsolePage {
  const texts = words.texts.people
  const asked = isSelf
    ? { title: texts.leaveTitle({ account: session.account.name }), submit: texts.leaveSubmit }
    : { title: texts.removeTitle({ email: member.email }), submit: texts.removeSubmit }
  return questionPage({
    ...asked,
    way: toPeople(words),
    about: html`!${notice(refusal)}<p class="lead">${isSelf ? texts.leaveLead : texts.removeLead}</p>`,
    action: `${PEOPLE}/${member.id}/remove`,
    back: PEOPLE,
    keep: texts.keep,
  })
}
