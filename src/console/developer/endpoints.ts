/** Webhooks: seen by everyone of the account, made, changed and removed by its owners, held by its editors too. */

import { isOneLine } from '../../kernel/characters.ts'
import { AppError } from '../../kernel/errors.ts'
import { findUrlFault } from '../../kernel/http-out/outbound-url.ts'
import { listWebhooks, MAX_DESCRIPTION_LENGTH, MAX_ENDPOINTS } from '../../webhooks/endpoint.ts'
import { EVENT_TYPES } from '../../webhooks/insert-events.ts'
import {
  addWebhook,
  changeWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
} from '../../webhooks/manage-endpoints.ts'
import { WEBHOOKS } from '../page/addresses.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import type { Outcome, SignedInVisit } from '../page/route.ts'
import { renderText } from '../page/texts.ts'
import {
  type EndpointForm,
  endpointFormPage,
  endpointsPage,
  renderEndpointRemoval,
} from './endpoint-pages.ts'
import { wayToSecret } from './secrets.ts'
import { endpointOf, pageOf } from './subject.ts'

export async function showWebhooks(visit: SignedInVisit): Promise<Outcome> {
  return endpointsPage(visit.words, await listWebhooks(visit.ctx), visit.session.role)
}

const EMPTY: EndpointForm = { url: '', description: '', events: [] }

export const showNewWebhook = ({ words }: SignedInVisit): Outcome =>
  endpointFormPage(words, { typed: EMPTY, problems: {} })

export async function submitNewWebhook(visit: SignedInVisit): Promise<Outcome> {
  const { setup, words } = visit
  const { typed, problems } = readTyped(visit)
  if (!isFine(problems)) return endpointFormPage(words, { typed, problems })
  const { sealer, outbound } = setup
  try {
    const made = await addWebhook(visit.ctx, { sealer, policy: outbound.policy }, inputOf(typed))
    return wayToSecret(visit, made)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation' || error.details !== undefined)
      throw error
    const refusal = words.texts.developer.tooMany({ most: MAX_ENDPOINTS })
    return endpointFormPage(words, { typed, problems, refusal })
  }
}

export async function showChange(visit: SignedInVisit): Promise<Outcome> {
  const endpoint = await endpointOf(visit)
  const events = endpoint.events.includes('*') ? [] : endpoint.events
  return endpointFormPage(visit.words, { typed: { ...endpoint, events }, problems: {}, id: endpoint.id })
}

export async function submitChange(visit: SignedInVisit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  const { typed, problems } = readTyped(visit)
  if (!isFine(problems)) return endpointFormPage(visit.words, { typed, problems, id })
  await changeWebhook(visit.ctx, visit.setup.outbound, id, inputOf(typed))
  return { to: pageOf(id) }
}

/** No event chosen stands for all: a filter that lets nothing through would be no webhook. */
const inputOf = ({ url, description, events }: EndpointForm) => ({
  url,
  description,
  events: events.length === 0 ? ['*'] : events,
})

function readTyped({ form, setup, words }: SignedInVisit): { typed: EndpointForm; problems: Problems } {
  const { errors } = words.texts
  const typed = { url: form.text('url'), description: form.text('description'), events: form.all('event') }
  const known: readonly string[] = EVENT_TYPES
  const fault = findUrlFault(typed.url, setup.outbound.policy)
  const urlProblem =
    fault && renderText(words.texts.developer.urlFaults[fault.name], { host: fault.host ?? '' })
  const problems = problemsOf({
    url: typed.url === '' ? errors.required : urlProblem,
    description: descriptionProblem(words.texts, typed.description),
    event: typed.events.every(one => known.includes(one)) ? undefined : errors.choice,
  })
  return { typed, problems }
}

function descriptionProblem({ errors }: SignedInVisit['words']['texts'], text: string): string | undefined {
  if (text.length > MAX_DESCRIPTION_LENGTH) return errors.tooLong({ max: MAX_DESCRIPTION_LENGTH })
  return isOneLine(text) ? undefined : errors.characters
}

export async function submitState(visit: SignedInVisit): Promise<Outcome> {
  const to = visit.form.text('to')
  const { id } = await endpointOf(visit)
  if (to === 'pause') await pauseWebhook(visit.ctx, id)
  if (to === 'resume') await resumeWebhook(visit.ctx, id)
  return { to: pageOf(id) }
}

export const showRemove = async (visit: SignedInVisit): Promise<Outcome> =>
  renderEndpointRemoval(visit.words, await endpointOf(visit))

export async function submitRemove(visit: SignedInVisit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  await removeWebhook(visit.ctx, id)
  return { to: WEBHOOKS }
}
