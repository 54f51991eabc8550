/** Owners ask the operator to verify who the account is. */
import { html } from 'ghtml'
import { IDENTIFIER_SCHEMES } from '../../accounts/identity/company-identifiers.ts'
import {
  type AccountIdentity,
  findIdentity,
  MAX_LEGAL_NAME_LENGTH,
  parseIdentity,
} from '../../accounts/identity/identity.ts'
import {
  askForVerification,
  findVerificationRequest,
  MAX_REQUEST_NOTE_LENGTH,
  withdrawVerificationRequest,
} from '../../accounts/identity/verification-request.ts'
import { AppError, type Detail, findErrorCode } from '../../kernel/errors/errors.ts'
import { isLongerThan, isOneLine } from '../../kernel/values/characters.ts'
import { isFine, type PostedForm, type Problems, problemsOf } from '../page/form.ts'
import { backLink, input, summary } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { verificationEmail } from '../sign-in/emails.ts'
import { splitNames } from './identity.ts'
import { IDENTITY } from './places.ts'

/** In the order of the form. */
const FIELDS = ['legal_name', ...IDENTIFIER_SCHEMES, 'gs1_prefix', 'host', 'did'] as const
const AUTOCOMPLETE: Readonly<Record<string, string>> = { legal_name: 'organization' }

type Typed = Readonly<Record<(typeof FIELDS)[number] | 'note', string>>

/** Begins with what was asked for last, or else with what is verified. */
export async function showIdentityRequest(visit: Visit): Promise<Outcome> {
  const { ctx } = visit
  const request = await findVerificationRequest(ctx)
  const identity = request?.identity ?? (await findIdentity(ctx.sql, ctx.accountId))
  return renderForm(visit.words, writeForm(identity, request?.note ?? ''), {})
}

function writeForm(identity: AccountIdentity | undefined, note: string): Typed {
  const { hosts, gs1Prefixes, dids } = splitNames(identity?.names ?? [])
  const find = (scheme: string) => identity?.identifiers.find(one => one.scheme === scheme)?.value ?? ''
  return {
    legal_name: identity?.legalName ?? '',
    gln: find('gln'),
    lei: find('lei'),
    vat: find('vat'),
    eori: find('eori'),
    gs1_prefix: gs1Prefixes.join(', '),
    host: hosts.join(', '),
    did: dids.join(', '),
    note,
  }
}

function renderForm({ texts }: Words, typed: Typed, problems: Problems): Outcome {
  const { identity } = texts
  const labels = { ...identity.fields, note: identity.note }
  const fields = FIELDS.map(name => {
    const isOptional = name !== 'legal_name'
    const field = { name, label: labels[name], hint: identity.hints[name], value: typed[name], isOptional }
    return input({ ...field, autocomplete: AUTOCOMPLETE[name] ?? 'off' }, problems)
  })
  const note = { name: 'note', label: identity.note, hint: identity.noteHint, value: typed.note }
  const body = html`!${backLink(IDENTITY, identity.title)}<h1>${identity.question}</h1>!${summary(texts, problems, labels)}
<p class="lead">${identity.requestLead}</p>
<form method="post" action="${IDENTITY}/request" novalidate class="narrow">!${fields}
!${input({ ...note, maxLength: MAX_REQUEST_NOTE_LENGTH, isOptional: true }, problems)}
<p class="choices"><button>${identity.submit}</button> <a class="button second" href="${IDENTITY}">${identity.keep}</a></p></form>`
  return { title: identity.question, body, status: isFine(problems) ? 200 : 422 }
}

export async function submitIdentityRequest(visit: Visit): Promise<Outcome> {
  const { ctx, setup, words, form } = visit
  const note = form.text('note')
  const { identity, problems } = readIdentity(words, form, note)
  if (identity === undefined) return renderForm(words, readTyped(form), problems)
  const { isNew } = await askForVerification(ctx, { identity, note })
  const to = setup.operatorEmail
  // A request that is only replaced sends no e-mail: nobody can fill the operator's mailbox.
  if (isNew && to !== undefined && setup.mail.hasServer)
    setup.mail.send(
      verificationEmail(words, { to, publicUrl: setup.addresses.publicUrl, account: ctx.accountId }),
    )
  return { to: `${IDENTITY}?done=asked` }
}

/** Shows what the request is now if the operator has answered it, or another owner has changed it. */
export async function submitRequestWithdrawal({ ctx, form }: Visit): Promise<Outcome> {
  try {
    await withdrawVerificationRequest(ctx, form.text('request'))
  } catch (error) {
    if (findErrorCode(error) !== 'not_found') throw error
    return { to: IDENTITY }
  }
  return { to: `${IDENTITY}?done=withdrawn` }
}

const readTyped = (form: PostedForm): Typed => ({
  legal_name: form.text('legal_name'),
  gln: form.text('gln'),
  lei: form.text('lei'),
  vat: form.text('vat'),
  eori: form.text('eori'),
  gs1_prefix: form.text('gs1_prefix'),
  host: form.text('host'),
  did: form.text('did'),
  note: form.text('note'),
})

type ReadIdentity = { identity?: AccountIdentity; problems: Problems }

function readIdentity(words: Words, form: PostedForm, note: string): ReadIdentity {
  const isLong = isLongerThan(note, MAX_REQUEST_NOTE_LENGTH) || !isOneLine(note)
  const noted = problemsOf({
    note: isLong ? words.texts.identity.noteLong({ most: MAX_REQUEST_NOTE_LENGTH }) : undefined,
  })
  try {
    const identity = parseIdentity({
      legalName: form.text('legal_name'),
      identifiers: IDENTIFIER_SCHEMES.flatMap(scheme => {
        const value = form.text(scheme)
        return value === '' ? [] : { scheme, value }
      }),
      hosts: readList(form, 'host'),
      gs1Prefixes: readList(form, 'gs1_prefix'),
      dids: readList(form, 'did'),
    })
    return isFine(noted) ? { identity, problems: noted } : { problems: noted }
  } catch (error) {
    if (!(error instanceof AppError) || error.details === undefined) throw error
    return { problems: { ...explainDetails(words, error.details), ...noted } }
  }
}

const readList = (form: PostedForm, name: string): string[] =>
  form
    .text(name)
    .split(/[,;]/)
    .flatMap(one => one.trim() || [])

/** The first violation of each field, in the reader's language. */
function explainDetails({ texts }: Words, details: readonly Detail[]): Problems {
  const { identity, errors } = texts
  const problems: Record<string, string> = {}
  for (const { path, code } of details) {
    const name = FIELDS.find(one => one === path[0])
    if (name === undefined || problems[name] !== undefined) continue
    if (name !== 'legal_name') problems[name] = code === 'length' ? identity.tooMany : identity.wrong[name]
    else if (code === 'required') problems[name] = errors.required
    else
      problems[name] = code === 'length' ? errors.tooLong({ max: MAX_LEGAL_NAME_LENGTH }) : errors.characters
  }
  return problems
}
