/** A person's own sessions, identified by their times only. */
import { html } from 'ghtml'
import {
  endOneSession,
  endOtherSessions,
  listSessions,
  type SessionRecord,
} from '../../accounts/people/own-sessions.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { rowList } from '../page/parts.ts'
import { type Outcome, SIGN_IN, type Visit, type Words } from '../page/route.ts'
import { SESSIONS, settingsHead } from './places.ts'

export async function showSessions({ setup, session, words }: Visit): Promise<Outcome> {
  const texts = words.texts.sessions
  const all = await listSessions(setup, session.personId)
  const isThis = (one: SessionRecord) => one.id === session.id
  const sorted = [...all.filter(isThis), ...all.filter(one => !isThis(one))]
  const others = html`<form method="post" action="${SESSIONS}/end-others"><button class="second">${texts.endOthers}</button></form>`
  const body = html`!${settingsHead(words, texts)}
!${rowList(sorted.map(one => row(words, one, isThis(one))))}!${all.length > 1 ? html`<div class="after">!${others}</div>` : ''}`
  return { title: texts.title, body }
}

function row(words: Words, one: SessionRecord, isThis: boolean): string {
  const texts = words.texts.sessions
  const begun = words.minute(one.created_at)
  const end = html`<form method="post" action="${SESSIONS}/${one.id}/end"><button class="second">${texts.endOne}<span class="sight">: ${texts.sessionOf({ time: begun })}</span></button></form>`
  return html`<li class="with-act"><dl class="pairs"><dt>${texts.begun}</dt><dd>${begun}</dd>
<dt>${texts.lastUsed}</dt><dd>${isThis ? texts.now : texts.aboutHour({ time: words.minute(one.last_used_at) })}</dd>
<dt>${texts.inAccount}</dt><dd>${one.account}</dd></dl>!${isThis ? html`<span class="badge">${texts.thisOne}</span>` : end}</li>`
}

export async function submitEndSession({ setup, session, id }: Visit): Promise<Outcome> {
  if (!(await endOneSession(setup, session, id))) throw notFound('session')
  return id === session.id ? { to: SIGN_IN, session: null } : { to: SESSIONS }
}

export async function submitEndOthers({ setup, session }: Visit): Promise<Outcome> {
  await endOtherSessions(setup, session, session.id)
  return { to: SESSIONS }
}
