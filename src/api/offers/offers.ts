/** `/offers`: what readers of passports can do: repair, spare parts, take-back and more. */
import { allCategories } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import type { SentOffer } from '../../passports/offers/check-offer.ts'
import {
  MAX_OFFER_LANGUAGES,
  MAX_OFFER_POSITION,
  MAX_OFFER_TEXT_LENGTH,
  MAX_OFFER_TITLE_LENGTH,
  MAX_OFFERS,
  OFFER_KINDS,
  type Offer,
} from '../../passports/offers/offer.ts'
import {
  changeOffer,
  createOffer,
  deleteOffer,
  getOffer,
  listOffers,
} from '../../passports/offers/store-offers.ts'
import { objectBody, uncheckedMember } from '../endpoint/body.ts'
import { MAX_OFFER_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  DATE_TIME,
  dataResponse,
  INTEGER,
  jsonResponse,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'

const NEW_EXAMPLE = {
  kind: 'repair',
  category: 'textile',
  countries: ['AT', 'DE'],
  title: { en: 'Free repair service', de: 'Kostenlose Reparatur' },
  text: {
    en: 'Send it to us; we mend seams and zips.',
    de: 'Einschicken; wir richten Nähte und Reißverschlüsse.',
  },
  url: 'https://www.example.com/repair',
}

const EXAMPLE_OFFER = {
  id: '01m7ywm5d8w4s9t2v6x8y1a3bc',
  ...{ kind: NEW_EXAMPLE.kind, category: NEW_EXAMPLE.category, product_id: null },
  ...{ countries: NEW_EXAMPLE.countries, title: NEW_EXAMPLE.title, text: NEW_EXAMPLE.text },
  ...{ url: NEW_EXAMPLE.url, position: 0 },
  created_at: '2026-11-24T09:30:00.000Z',
  updated_at: '2026-11-24T09:30:00.000Z',
}

const toJson = ({ id, passportId, createdAt, updatedAt, ...offer }: Offer) => ({
  id: idFromUuid(id),
  ...{ kind: offer.kind, category: offer.category, product_id: passportId && idFromUuid(passportId) },
  ...{ countries: offer.countries, title: offer.title, text: offer.text },
  ...{ url: offer.url, position: offer.position },
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
})

const texts = (maxLength: number, description: string) => ({
  description,
  minProperties: 1,
  maxProperties: MAX_OFFER_LANGUAGES,
  additionalProperties: { ...TEXT, minLength: 1, maxLength },
})

const MEMBERS = {
  kind: {
    enum: OFFER_KINDS,
    description: 'What the reader can do. It decides the GS1 link type of the link.',
  },
  category: {
    enum: [...allCategories().map(({ id }) => id), null],
    description: 'Only products of this category; null for all.',
  },
  product_id: {
    type: ['string', 'null'],
    description: 'Only this model with its units, this batch with its items, or this item; null for all.',
  },
  countries: {
    ...arrayOf({ ...TEXT, pattern: '^[A-Z]{2}$' }),
    uniqueItems: true,
    description: 'ISO 3166-1 codes of the countries where it holds; empty for everywhere.',
  },
  title: { type: 'object', ...texts(MAX_OFFER_TITLE_LENGTH, 'The words of the link, by language.') },
  text: { type: ['object', 'null'], ...texts(MAX_OFFER_TEXT_LENGTH, 'A sentence beside it, by language.') },
  url: { ...TEXT, format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://', maxLength: 2_048 },
  position: {
    ...INTEGER,
    minimum: 0,
    maximum: MAX_OFFER_POSITION,
    description: 'Offers are shown by position, then by age. By default an offer comes last.',
  },
}

const { schema: CHANGE_SCHEMA, read } = objectBody({
  kind: uncheckedMember(MEMBERS.kind),
  category: uncheckedMember(MEMBERS.category),
  product_id: uncheckedMember(MEMBERS.product_id),
  countries: uncheckedMember(MEMBERS.countries),
  title: uncheckedMember(MEMBERS.title),
  text: uncheckedMember(MEMBERS.text),
  url: uncheckedMember(MEMBERS.url),
  position: uncheckedMember(MEMBERS.position),
})

/** `createOffer` and `changeOffer` check the values. */
const readOffer: (sent: unknown) => SentOffer = read

const respond = (offer: Offer, status = 200) => ({
  status,
  body: successJson(JSON.stringify(toJson(offer))),
})

const OFFER_RESPONSE = {
  ...dataResponse('The offer.', 'Offer', EXAMPLE_OFFER),
  isIllustration: true,
} as const

export const listOffersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/offers',
  id: 'listOffers',
  tag: 'offers',
  summary: 'List offers',
  description: 'All of the account, in the order in which pages show them.',
  responses: {
    200: {
      ...jsonResponse('The offers.', objectSchema({ data: arrayOf(schemaRef('Offer')) }), [EXAMPLE_OFFER]),
      isIllustration: true,
    },
  },
  handle: async ({ account }) => ({
    body: successJson(JSON.stringify((await listOffers(account)).map(toJson))),
  }),
})

export const createOfferEndpoint = defineEndpoint({
  method: 'POST',
  path: '/offers',
  id: 'createOffer',
  tag: 'offers',
  summary: 'Add an offer',
  description: `The public pages of the products that it is for show it under “What you can do”, and the link sets of their GS1 addresses have it under its GS1 link type. Readers see the offers for their country and for everywhere first. An account can have ${MAX_OFFERS} offers.`,
  body: {
    maxBytes: MAX_OFFER_BYTES,
    schema: schemaRef('NewOffer'),
    examples: { repair: { summary: 'Repair in two countries', value: NEW_EXAMPLE } },
    read: readOffer,
  },
  responses: { 201: OFFER_RESPONSE },
  errors: ['plan_limit'],
  handle: async ({ account, body }) => respond(await createOffer(account, body), 201),
})

export const readOfferEndpoint = defineEndpoint({
  method: 'GET',
  path: '/offers/:offer',
  id: 'getOffer',
  tag: 'offers',
  summary: 'Read an offer',
  description: 'One offer of the account.',
  responses: { 200: OFFER_RESPONSE },
  handle: async ({ account, path }) => respond(await getOffer(account, path.offer)),
})

export const changeOfferEndpoint = defineEndpoint({
  method: 'PATCH',
  path: '/offers/:offer',
  id: 'updateOffer',
  tag: 'offers',
  summary: 'Change an offer',
  description:
    'Each member that you send replaces the whole member; the others stay. `null` empties `category`, `product_id` and `text`.',
  body: {
    maxBytes: MAX_OFFER_BYTES,
    schema: schemaRef('OfferChange'),
    examples: {
      countries: { summary: 'One more country', value: { countries: ['AT', 'CH', 'DE'] } },
    },
    read: readOffer,
  },
  responses: { 200: OFFER_RESPONSE },
  handle: async ({ account, path, body }) => respond(await changeOffer(account, path.offer, body)),
})

export const deleteOfferEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/offers/:offer',
  id: 'deleteOffer',
  tag: 'offers',
  summary: 'Delete an offer',
  description: 'Answers with the offer as it was.',
  responses: { 200: OFFER_RESPONSE },
  handle: async ({ account, path }) => respond(await deleteOffer(account, path.offer)),
})

export const OFFER_SCHEMAS = {
  NewOffer: { ...CHANGE_SCHEMA, required: ['kind', 'title', 'url'] },
  OfferChange: CHANGE_SCHEMA,
  Offer: objectSchema({
    id: { ...TEXT, minLength: 26, maxLength: 26 },
    ...MEMBERS,
    created_at: DATE_TIME,
    updated_at: DATE_TIME,
  }),
}
