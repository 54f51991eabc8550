/** Creates what a route changes, ends or deletes, new for each call. */
import type { AccountContext } from '../../../src/accounts/account/context.ts'
import { parseIdentity } from '../../../src/accounts/identity/identity.ts'
import {
  askForVerification,
  findVerificationRequest,
} from '../../../src/accounts/identity/verification-request.ts'
import { createOwnKey } from '../../../src/accounts/keys/own-keys.ts'
import { createPerson } from '../../../src/accounts/people/people.ts'
import { idFromUuid } from '../../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../../src/kernel/crypto/secret-cipher.ts'
import { createAddressList } from '../../../src/kernel/http/ip-ranges.ts'
import { createAccessLink } from '../../../src/passports/access/access-links.ts'
import { createRecord, deleteRecord, listRecords } from '../../../src/passports/core/store-records.ts'
import { createDraft } from '../../../src/passports/drafts/store-drafts.ts'
import { OFFER_STORE } from '../../../src/passports/offers/store-offers.ts'
import { addWebhook, removeWebhook } from '../../../src/webhooks/manage-webhooks.ts'
import { makePng } from '../../media/sample-files.ts'
import { OFFER, RICH } from './heavy-data.ts'
import { buildForm, FORM_TYPE } from './large-files.ts'
import { SECRET_KEY } from './stand.ts'
import { openAccount, type World } from './world.ts'

let turn = 0

/** Deletes an offer if the account has as many as it may have. */
export async function makeRoomForOffer({ ctx }: World): Promise<void> {
  const all = await listRecords(ctx, OFFER_STORE)
  const last = all.at(-1)
  if (last !== undefined && all.length >= 100) await deleteRecord(ctx, OFFER_STORE, last.id)
}

const makers: Record<string, (world: World) => Promise<string>> = {
  draft: async ({ ctx }) => {
    await ctx.sql`delete from draft where account_id = ${ctx.accountId}`
    const data = { ...RICH.data, sku: `DRAFT-${++turn}`, gtin: undefined }
    return idFromUuid((await createDraft(ctx, { category: 'textile', data, note: undefined })).id)
  },
  offer: async world => {
    await makeRoomForOffer(world)
    return idFromUuid((await createRecord(world.ctx, OFFER_STORE, OFFER)).id)
  },
  media: async ({ document }) => document,
  'unused media': async ({ stand: { url }, keys }) => {
    const answer = await fetch(`${url}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.full}`, 'content-type': 'image/png' },
      body: new Uint8Array(await makePng({ width: 20, height: 20 + ++turn })),
    })
    return ((await answer.json()) as { data: { id: string } }).data.id
  },
  person: async ({ ctx }) => {
    const email = `thing${++turn}@worst.example`
    return (await createPerson(ctx, { accountId: ctx.accountId, email, role: 'viewer' })).id
  },
  key: async ({ ctx }) =>
    (await createOwnKey(ctx, { name: 'Shop', scope: 'read', expiresAt: undefined, createdBy: 'test' })).id,
  link: async ({ ctx, stand: { url } }) => {
    const expiresAt = new Date(Date.now() + 86_400_000)
    const addresses = { publicUrl: url, apiUrl: `${url}/api/v1` }
    const input = { passportId: undefined, audience: 'authority', label: 'x', expiresAt, addresses } as const
    return (await createAccessLink(ctx, input)).id
  },
  request: askToVerify,
  webhook: async world => {
    const { ctx } = world
    const before = lastWebhook.get(world)
    if (before !== undefined) await removeWebhook(ctx, before).catch(() => undefined)
    const policy = { allowInsecureLoopback: false, allowed: createAddressList([]) }
    const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy }
    const { id } = await addWebhook(ctx, setup, {
      url: 'https://erp.example/carnet',
      events: ['product.created'],
    })
    lastWebhook.set(world, id)
    return id
  },
  import: async world => {
    const rows = Array.from({ length: 2_000 }, (_, n) => `Table ${n},S-${turn}-${n},Nordlicht,en`)
    const bytes = Buffer.from(['productName,sku,brandName,languages', ...rows].join('\n'))
    const { url } = world.stand
    const answer = await fetch(`${url}/console/import`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: world.cookieOf('owner'), origin: url, 'content-type': FORM_TYPE },
      body: new Uint8Array(
        buildForm({ category: 'furniture' }, [{ field: 'sheet', name: `${++turn}.csv`, bytes }]),
      ),
    })
    return answer.headers.get('location')?.split('/').at(-1) ?? ''
  },
}

/** With as many names as a request may have, most of them prefixes: GTINs of the called account have some. */
async function askToVerify(world: World): Promise<string> {
  const account = askers.get(world) ?? (await openAccount(world.stand, 'Asks'))
  askers.set(world, account)
  const gs1Prefixes = Array.from({ length: 90 }, (_, n) => String(9520 + n))
  const hosts = Array.from({ length: 10 }, (_, n) => `brand${n}.example`)
  const identity = parseIdentity({ legalName: 'Asks Ltd', identifiers: [], hosts, gs1Prefixes, dids: [] })
  await askForVerification(account, { identity, note: 'By letter.' })
  return (await findVerificationRequest(account))?.id ?? ''
}

const askers = new WeakMap<World, AccountContext>()
const lastWebhook = new WeakMap<World, string>()

/** Returns its public id. */
export async function createThing(world: World, kind: string): Promise<string> {
  const make = makers[kind]
  if (make === undefined) throw new Error(`test/faults/worst/things.ts cannot make a ${kind}: add how.`)
  return make(world)
}
