/** The people of the account: all members see them, owners invite and change them. */

import {
  changeRole,
  endMemberSessions,
  getMember,
  inviteAgain,
  inviteMember,
  type LinkReader,
  listMembers,
  type Member,
  removeMember,
} from '../../accounts/people/members.ts'
import { buildSetPasswordUrl } from '../../accounts/people/one-time-links.ts'
import { ROLES, type Role } from '../../accounts/people/people.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { emailProblem, isFine, type Problems, problemsOf } from '../page/form.ts'
import { type Outcome, SIGN_IN, type Visit } from '../page/route.ts'
import { shownOnce } from '../page/secret-cookie.ts'
import { invitationLetter } from '../sign-in/emails.ts'
import { type InvitationForm, invitationPage, peoplePage, personPage, removalPage } from './people-pages.ts'
import { PEOPLE } from './places.ts'

export const showPeople = (visit: Visit): Promise<Outcome> => list(visit, { email: '', role: '' }, {})

async function list(visit: Visit, typed: InvitationForm, problems: Problems): Promise<Outcome> {
  return peoplePage(visit, { members: await listMembers(visit.ctx), self: selfOf(visit), typed, problems })
}

const selfOf = ({ session }: Visit) => idFromUuid(session.personId)

/** The person is a member at once; the e-mail tells them, with a password link for a new person. */
export async function submitInvitation(visit: Visit): Promise<Outcome> {
  const { ctx, form, words } = visit
  const texts = words.texts.people
  const typed = { email: form.text('email'), role: form.text('role') }
  const role = ROLES.find(one => one === typed.role)
  const { errors } = words.texts
  const problems = problemsOf({
    email: emailProblem(words.texts, typed.email),
    role: role === undefined ? errors.choice : undefined,
  })
  if (!isFine(problems) || role === undefined) return list(visit, typed, problems)
  try {
    const invited = await inviteMember(ctx, { email: typed.email, role, reader: readerOf(visit) })
    if ('problem' in invited) return list(visit, typed, { email: texts.inviteVouched })
    return toInvited(
      visit,
      { ...invited, role },
      `${PEOPLE}?${new URLSearchParams({ invited: invited.email })}`,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'validation') return list(visit, typed, { email: texts.isMember })
    if (error.code === 'rate_limited') return list(visit, typed, { email: texts.inviteMany })
    throw error
  }
}

type Invited = { id: string; email: string; role: Role; token: string | undefined }

/** Without a mail server, the owner gets the link and passes it on. */
const readerOf = ({ setup }: Visit): LinkReader => (setup.mail.hasServer ? 'person' : 'owner')

/** With a mail server, the person gets the link; without one, the inviting owner sees it once. */
function toInvited(visit: Visit, invited: Invited, otherwise: string): Outcome {
  const { id, token } = invited
  if (visit.setup.mail.hasServer) postInvitation(visit, invited)
  else if (token !== undefined) return shownInvitation.redirect(visit, { id, secret: token })
  return { to: otherwise }
}

export const INVITATION_SHOWN = `${PEOPLE}/shown`

const shownInvitation = shownOnce({
  name: 'carnet-invitation',
  path: INVITATION_SHOWN,
  pattern: /^([0-9a-z]{26})\.([0-9A-Za-z]{43})$/,
})

/** The only page that shows an invitation's link, once; reloading it redirects to the people. */
export async function showInvitation(visit: Visit): Promise<Outcome> {
  const { ctx, setup } = visit
  const shown = shownInvitation.find(visit)
  const member = (shown === undefined ? [] : await listMembers(ctx)).find(one => one.id === shown?.id)
  if (shown === undefined || member === undefined) return { to: PEOPLE }
  const link = buildSetPasswordUrl(setup.addresses.publicUrl, shown.secret)
  return { ...invitationPage(visit, member, link), headers: shownInvitation.endHeaders(visit) }
}

function postInvitation({ setup, session, words }: Visit, { email, role, token }: Invited): void {
  const { publicUrl } = setup.addresses
  const link = token === undefined ? `${publicUrl}${SIGN_IN}` : buildSetPasswordUrl(publicUrl, token)
  const about = { to: email, account: session.account.name, by: session.email, role, publicUrl, link }
  setup.mail.send(invitationLetter(words, { ...about, isNew: token !== undefined }))
}

/** For an e-mail that did not arrive, or an expired link. */
export async function submitInvitationAgain(visit: Visit): Promise<Outcome> {
  const { ctx, id, words } = visit
  const texts = words.texts.people
  try {
    const { member, token, ...rest } = await inviteAgain(ctx, { id, reader: readerOf(visit) })
    if ('reason' in rest) {
      const refusal = rest.reason === 'elsewhere' ? texts.invitedElsewhere : texts.notInvited
      return { ...personPage(visit, member, {}, { refusal }), status: 422 }
    }
    return toInvited(visit, { ...member, token }, `${PEOPLE}/${member.id}?invited=again`)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    return { ...personPage(visit, await memberOf(visit), {}, { refusal: texts.inviteMany }), status: 429 }
  }
}

export async function showPerson(visit: Visit): Promise<Outcome> {
  const { query } = visit
  const told = { isInvited: query.get('invited') === 'again', isSignedOut: query.get('sessions') === 'ended' }
  return personPage(visit, await memberOf(visit), {}, told)
}

export async function submitEndSessionsOf(visit: Visit): Promise<Outcome> {
  const { id } = await memberOf(visit)
  await endMemberSessions(visit.ctx, id)
  return id === selfOf(visit) ? { to: SIGN_IN, session: null } : { to: `${PEOPLE}/${id}?sessions=ended` }
}

export async function submitRole(visit: Visit): Promise<Outcome> {
  const { ctx, form, words } = visit
  const member = await memberOf(visit)
  const role = ROLES.find(one => one === form.text('role'))
  if (role === undefined) return personPage(visit, member, { role: words.texts.errors.choice })
  const isDone = await changeRole(ctx, { id: member.id, role })
  return isDone ? { to: PEOPLE } : personPage(visit, member, { role: words.texts.people.lastOwner })
}

export async function showRemovePerson(visit: Visit): Promise<Outcome> {
  const member = await removable(visit)
  return removalPage(visit, member, member.id === selfOf(visit))
}

export async function submitRemovePerson(visit: Visit): Promise<Outcome> {
  const member = await removable(visit)
  const isSelf = member.id === selfOf(visit)
  if (await removeMember(visit.ctx, member.id))
    return isSelf ? { to: SIGN_IN, session: null } : { to: PEOPLE }
  return { ...removalPage(visit, member, isSelf, visit.words.texts.people.lastOwner), status: 422 }
}

/** Owners remove anyone; everyone else may leave. Throws `not_found`, `read_only`. */
async function removable(visit: Visit): Promise<Member> {
  const member = await memberOf(visit)
  if (visit.session.role === 'owner' || member.id === selfOf(visit)) return member
  throw new AppError('read_only', visit.words.texts.people.onlySelf)
}

const memberOf = ({ ctx, id }: Visit): Promise<Member> => getMember(ctx, id)
