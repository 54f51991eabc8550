/** The demo's account with its person, key and link. Only missing parts are created, so it can run again. */
import { createAccountByOperator, listAccounts } from '../../accounts/account/accounts.ts'
import { withActor } from '../../accounts/account/actors.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { getBrand } from '../../accounts/brand/brand.ts'
import { updateBrand } from '../../accounts/brand/update-brand.ts'
import { nameOnly } from '../../accounts/identity/identity.ts'
import { verifyAccount } from '../../accounts/issuer/verify-account.ts'
import { listKeys } from '../../accounts/keys/keys.ts'
import { createOwnKey } from '../../accounts/keys/own-keys.ts'
import { createPerson, resetPassword } from '../../accounts/people/people.ts'
import { setPassword } from '../../accounts/people/set-password.ts'
import type { MediaPlace } from '../../kernel/config/environment-reader.ts'
import { randomLetters } from '../../kernel/crypto/crypto.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { addMedia, type MediaContext } from '../../media/upkeep/add-media.ts'
import { type MediaServices, openMediaServices } from '../../media/upkeep/media-services.ts'
import { createAccessLink, listAccessLinks } from '../../passports/access/access-links.ts'
import { passportUrl } from '../../passports/core/record.ts'
import { createRecord, listRecords } from '../../passports/core/store-records.ts'
import { OFFER_STORE } from '../../passports/offers/store-offers.ts'
import { updateStory } from '../../passports/story/update-story.ts'
import type { Store } from '../store/store.ts'
import {
  countDemoPassports,
  DEMO_BRAND,
  DEMO_OFFERS,
  DEMO_PASSPORTS,
  DEMO_STORY,
  type DemoPassport,
} from './demo-data.ts'
import { type DemoNotes, readDemoNotes, writeDemoNotes } from './demo-notes.ts'
import type { DemoSummary } from './demo-summary.ts'
import { loadDemoPassports } from './load-demo.ts'

const NAME = 'Demo'
/** The account sells products of several companies under its brand. */
export const LEGAL_NAME = 'Hallwerk GmbH'
const PLAN = 'beta'
const EMAIL = 'demo@carnet.example'
/** 64 bits, in lower-case letters that are easy to type on a phone. */
const PASSWORD_LENGTH = 14
const LINK_LIFETIME_MS = 365 * 86_400_000
/** A link that ends sooner is replaced. */
const MIN_LINK_LIFETIME_MS = 86_400_000

type DemoOptions = {
  dataDir: string
  mediaPlace: MediaPlace
  /** Aborted when the server stops. */
  signal: AbortSignal
  /** Called as soon as there is something to look at. */
  onReady: (summary: DemoSummary) => void
  /** Called with a sentence about each thing that is added afterwards. */
  onProgress: (sentence: string) => void
}

/** The first product is enough to begin with: the pictures of all of them take half a minute. */
export async function prepareDemo(store: Store, options: DemoOptions): Promise<void> {
  const ctx = await demoContext(store)
  const media = openMediaServices(options.mediaPlace)
  try {
    const first = await loadDemoPassports(ctx, DEMO_PASSPORTS.slice(0, 1), { media })
    options.onReady(await openDemo(ctx, store, { dataDir: options.dataDir, first }))
    await completeDemo(ctx, media, options)
  } finally {
    media.preparer.stop()
  }
}

type FirstPassport = Awaited<ReturnType<typeof loadDemoPassports>>

async function openDemo(
  ctx: AccountContext,
  store: Store,
  { dataDir, first }: { dataDir: string; first: FirstPassport },
): Promise<DemoSummary> {
  const notes = readDemoNotes(dataDir)
  const [passportId = ''] = first.models
  const [itemId] = first.items
  const user = await requireUser(ctx, notes)
  const key = await requireKey(ctx, notes)
  const link = await requireLink(ctx, notes, { passportId, store })
  const { publicUrl, apiUrl } = store.addresses
  const address = passportUrl(store.addresses, passportId)
  const summary: DemoSummary = {
    url: publicUrl,
    console_url: `${publicUrl}/console`,
    email: user.email,
    password: user.password,
    api_key: key.key,
    curl: `curl -H "Authorization: Bearer ${key.key}" "${apiUrl}/products?limit=3"`,
    passport_url: address,
    item_url: itemId === undefined ? null : passportUrl(store.addresses, itemId),
    access_link: `${address}?access=${link.token}`,
    passports: countDemoPassports(),
    data: dataDir,
  }
  await writeDemoNotes(dataDir, { user, key, link, summary })
  return summary
}

/** A start that was interrupted is completed by the next one. */
async function completeDemo(
  ctx: AccountContext,
  media: MediaServices,
  { signal, onProgress }: DemoOptions,
): Promise<void> {
  // The user of the demo may have set another brand.
  if ((await getBrand(ctx)).version === 0) {
    onProgress('Adding the brand …')
    await setBrand({ ...ctx, ...media })
  }
  if ((await listRecords(ctx, OFFER_STORE)).length === 0) {
    onProgress('Adding offers …')
    for (const offer of DEMO_OFFERS) await createRecord(ctx, OFFER_STORE, offer)
  }
  let added = 0
  for (const [i, passport] of DEMO_PASSPORTS.entries()) {
    if (signal.aborted) return
    const onCreate = ({ productName }: DemoPassport['data']) => {
      added++
      onProgress(`Adding product ${i + 1} of ${DEMO_PASSPORTS.length} and its picture: ${productName} …`)
    }
    await loadDemoPassports(ctx, [passport], { media, onCreate })
  }
  if (added > 0) onProgress('The demo is complete.')
}

async function setBrand(ctx: MediaContext): Promise<void> {
  const { picture, ...words } = DEMO_STORY
  const { file } = await addMedia(ctx, { bytes: picture.bytes })
  await withTransaction(ctx, async tx => {
    await updateBrand(tx, DEMO_BRAND)
    await updateStory(tx, { ...words, picture: { media: file.id, alt: picture.alt } })
  })
}

async function demoContext(store: Store): Promise<AccountContext> {
  const operator = { sql: store.sql, clock: systemClock }
  const found = (await listAccounts(operator)).find(one => one.name === NAME)
  if (found !== undefined) return withActor(operator, Number(found.id))
  const account = await createAccountByOperator(operator, { name: NAME, plan: PLAN })
  const ctx = await withActor(operator, Number(account.id))
  // Only once: whoever tries the demo may withdraw it.
  await verifyAccount(ctx, nameOnly(LEGAL_NAME), 'Operator')
  return ctx
}

/** The noted password while the person exists; a new one when the notes are lost. */
async function requireUser(ctx: AccountContext, notes: DemoNotes): Promise<NonNullable<DemoNotes['user']>> {
  let token: string
  try {
    token = (await createPerson(ctx, { accountId: ctx.accountId, email: EMAIL, role: 'owner' })).token
  } catch (error) {
    if (!(error instanceof AppError && error.details?.[0]?.code === 'duplicate')) throw error
    if (notes.user !== undefined) return notes.user
    token = (await resetPassword(ctx, { email: EMAIL })).token
  }
  const password = randomLetters(PASSWORD_LENGTH)
  await setPassword(ctx, { token, password })
  return { email: EMAIL, password }
}

/** The noted key, unless it was revoked. */
async function requireKey(ctx: AccountContext, notes: DemoNotes): Promise<NonNullable<DemoNotes['key']>> {
  const kept = notes.key
  const records = kept === undefined ? [] : await listKeys(ctx, ctx.accountId)
  if (kept && records.some(record => record.id === kept.id && record.revoked_at === null)) return kept
  const input = { name: 'Demo', scope: 'full', expiresAt: undefined, createdBy: 'Operator' } as const
  const { id, key } = await createOwnKey(ctx, input)
  return { id, key }
}

async function requireLink(
  ctx: AccountContext,
  notes: DemoNotes,
  { passportId, store }: { passportId: string; store: Store },
): Promise<NonNullable<DemoNotes['link']>> {
  const kept = notes.link
  const now = ctx.clock.now().getTime()
  const records = kept === undefined ? [] : await listAccessLinks(ctx)
  const record = records.find(one => one.id === kept?.id && one.revoked_at === null)
  const isGood =
    record?.passport_id === passportId && Date.parse(record.expires_at) > now + MIN_LINK_LIFETIME_MS
  if (kept && isGood) return kept
  const { id, token } = await createAccessLink(ctx, {
    passportId,
    audience: 'legitimate_interest',
    label: 'Demo',
    expiresAt: new Date(now + LINK_LIFETIME_MS),
    addresses: store.addresses,
  })
  return { id, token }
}
