/** Access links: made and revoked by editors, because they see what the links show; their use is seen by everyone of the account. */
import type { AccountContext } from '../../accounts/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { findUuid } from '../../kernel/ids.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import {
  type AccessLinkRecord,
  createAccessLink,
  LINK_AUDIENCES,
  listAccessLinks,
  revokeAccessLink,
} from '../../passports/access/access-links.ts'
import { getState } from '../../passports/core/state.ts'
import { isFine, nameProblem, type Problems, problemsOf } from '../page/form.ts'
import type { Outcome, Visit } from '../page/route.ts'
import type { Words } from '../page/words.ts'
import { getProductName } from '../product-data/titles.ts'
import {
  LINK_LABEL_LENGTH_MAX,
  linkPage,
  linksPage,
  type NewLinkForm,
  revokeLinkPage,
} from './access-link-pages.ts'
import { LINKS } from './places.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 90
const MOST_DAYS = 3_653
/** Names are looked up one by one. */
const MOST_NAMED = 50

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

export function showLinks(visit: Visit): Promise<Outcome> {
  const usual = dayOf(visit.setup.clock.now().getTime() + USUAL_DAYS * DAY_MS)
  const product = visit.query.get('product') ?? ''
  return list(visit, { label: '', audience: 'legitimate_interest', product, ends: usual }, {})
}

async function list(visit: Visit, typed: NewLinkForm, problems: Problems): Promise<Outcome> {
  const { ctx, setup, words } = visit
  const now = setup.clock.now()
  const links = await listAccessLinks(ctx)
  const inUse = links.filter(link => isInUse(link, now))
  const ended = links.filter(link => !isInUse(link, now))
  const names = await namesOf(ctx, words, inUse)
  return linksPage(visit, { inUse, ended, names, typed, problems, today: dayOf(now.getTime()) })
}

const isInUse = (link: AccessLinkRecord, now: Date) =>
  link.revoked_at === null && Date.parse(link.expires_at) > now.getTime()

async function namesOf(
  ctx: AccountContext,
  words: Words,
  links: readonly AccessLinkRecord[],
): Promise<Map<string, string>> {
  const ids = [...new Set(links.map(link => link.passport_id))].filter(id => id !== null).slice(0, MOST_NAMED)
  const names = await Promise.all(
    ids.map(async id => {
      const state = await getState(ctx, findUuid(id) ?? '')
      const { serial, lot } = state.row
      return [
        id,
        [getProductName(words, state), serial ?? lot].filter(part => part !== null).join(' · '),
      ] as const
    }),
  )
  return new Map(names)
}

export async function submitLink(visit: Visit): Promise<Outcome> {
  const { ctx, setup, form, words } = visit
  const texts = words.texts.accessLinks
  const typed = {
    label: form.text('label'),
    audience: form.text('audience'),
    product: form.text('product'),
    ends: form.text('ends'),
  }
  const expiresAt = endOf(typed.ends, setup.clock.now())
  const problems = problemsOf({
    label: nameProblem(words.texts, typed.label, LINK_LABEL_LENGTH_MAX),
    audience: LINK_AUDIENCES.some(one => one === typed.audience) ? undefined : words.texts.errors.choice,
    product: isProduct(typed.product) ? undefined : texts.productUnknown,
    ends: expiresAt === undefined ? texts.endsWrong : undefined,
  })
  if (!isFine(problems) || expiresAt === undefined) return list(visit, typed, problems)
  try {
    const link = await createAccessLink(ctx, {
      passportId: productId(typed.product),
      audience: typed.audience,
      label: typed.label,
      expiresAt,
      addresses: setup.addresses,
    })
    return linkPage(words, link)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    return list(visit, typed, { product: texts.productUnknown })
  }
}

/** The last part of a passport's address, or the id itself; undefined for every product. */
function productId(typed: string): string | undefined {
  if (typed === '') return undefined
  const path = typed.split(/[?#]/, 1)[0] ?? ''
  return path.replace(/\/+$/, '').split('/').at(-1)
}

function isProduct(typed: string): boolean {
  const id = productId(typed)
  return id === undefined || findUuid(id) !== undefined
}

/** Midnight UTC at the end of a day; undefined for what is no day of the calendar, is over, or too far ahead. */
function endOf(day: string, now: Date): Date | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? parseDateTime(day) : undefined
  if (start === undefined) return undefined
  const end = start.getTime() + DAY_MS
  return end > now.getTime() && end <= now.getTime() + MOST_DAYS * DAY_MS ? new Date(end) : undefined
}

export async function showRevokeLink(visit: Visit): Promise<Outcome> {
  const link = await getLink(visit)
  return isInUse(link, visit.setup.clock.now()) ? revokeLinkPage(visit.words, link) : { to: LINKS }
}

export async function submitRevokeLink({ ctx, id }: Visit): Promise<Outcome> {
  await revokeAccessLink(ctx, id)
  return { to: LINKS }
}

/** Throws `not_found`, for another account's too. */
async function getLink({ ctx, id }: Visit): Promise<AccessLinkRecord> {
  const links = await listAccessLinks(ctx)
  const link = links.find(one => one.id === id)
  if (link === undefined) throw notFound('access link')
  return link
}
