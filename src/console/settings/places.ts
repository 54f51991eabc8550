/** The settings pages in the order of the overview, and the link back from each. */

import { html } from 'ghtml'
import { backLink } from '../page/parts.ts'
import {
  ALL_DATA,
  BRAND,
  KEYS,
  OFFERS,
  READINESS_SETTINGS,
  REGISTRY,
  SETTINGS,
  type Words,
} from '../page/route.ts'

export const PEOPLE = `${SETTINGS}/people`
export const LINKS = `${SETTINGS}/access-links`
export const AUDIENCE = `${SETTINGS}/audience`
export const IDENTITY = `${SETTINGS}/identity`
export const REQUESTS = `${SETTINGS}/verification-requests`
export const SIGNATURES = `${SETTINGS}/signatures`
export const AUDIT = `${SETTINGS}/audit`
export const PASSWORD = `${SETTINGS}/password`
export const PASSKEYS = `${SETTINGS}/passkeys`
export const SESSIONS = `${SETTINGS}/sessions`

/** `key`: the texts under `places` in the settings. `isForOwners`: hidden from others. */
export const OF_ACCOUNT = [
  { path: PEOPLE, key: 'people' },
  { path: LINKS, key: 'links' },
  { path: BRAND, key: 'brand' },
  { path: OFFERS, key: 'offers' },
  { path: KEYS, key: 'keys' },
  { path: READINESS_SETTINGS, key: 'readiness', isForOwners: true },
  { path: AUDIENCE, key: 'audience', isForOwners: true },
  { path: IDENTITY, key: 'identity' },
  { path: SIGNATURES, key: 'signatures', isForOwners: true },
  { path: REGISTRY, key: 'registry' },
  { path: AUDIT, key: 'audit' },
  { path: ALL_DATA, key: 'data', isForOwners: true },
] as const

/** For owners of an operator's account. */
export const OF_OPERATOR = [{ path: REQUESTS, key: 'requests' }] as const

export const OF_PERSON = [
  { path: PASSWORD, key: 'password' },
  { path: PASSKEYS, key: 'passkeys' },
  { path: SESSIONS, key: 'sessions' },
] as const

export const backToSettings = ({ texts }: Words) => backLink(SETTINGS, texts.settings.back)

export const settingsHead = (words: Words, { title, lead }: { title: string; lead: string }) =>
  html`!${backToSettings(words)}<h1>${title}</h1><p class="lead">${lead}</p>`
