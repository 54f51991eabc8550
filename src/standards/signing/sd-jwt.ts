/**
 * SD-JWT VC: one signature over all fields of a version, from which each reader gets only what its audience
 * may see. All salts follow from the account's commit key, so none is stored.
 */
import { hash, hkdfSync } from 'node:crypto'
import { narrowToEntry } from '../../categories/disclose.ts'
import { AUDIENCES, type Audience, type Field, narrowAudience } from '../../categories/field.ts'
import { assert } from '../../kernel/errors/errors.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { encodeBase64Url } from './base-encodings.ts'

/** The media type without `application/`, and the claims and separators of RFC 9901. */
export const SD_JWT = {
  type: 'dc+sd-jwt',
  digests: '_sd',
  algorithm: '_sd_alg',
  sha256: 'sha-256',
  element: '...',
  separator: '~',
} as const

const SALT_BYTES = 16
const DIGEST_BYTES = 32
/** How many digests a list has whose entries say who may see them: the first number that is enough. */
const ENTRY_DIGESTS = [12, 36, 100] as const

export type SdJwtInput = {
  /** Its address, or its DID. */
  issuer: string
  issuedAt: Date
  expiresAt: Date
  /** Where its type metadata are, such as `https://passports.example.org/ns/dpp/types/battery/v2`. */
  type: string
  /** Seen by every reader: the header of the EN document, and the record of the passport. */
  header: DataObject
  passportId: string
  versionNo: number
  /** The declared fields of the category. Their number is that of the digests. */
  fields: readonly Field[]
  /** All fields of the version in the compressed form of EN 18223, whatever their audience. */
  data: DataObject
  /** The account's, 32 bytes. */
  commitKey: Uint8Array
  /** Where its status stands; null without a status list. */
  status: { listUrl: string; index: number } | null
}

/** `audience` lists who may get it. */
export type Disclosure = { encoded: string; audience: readonly Audience[] }

/** The same version, issued at the same time, gives the same payload and disclosures. */
export function buildSdJwt(input: SdJwtInput): { payload: DataObject; disclosures: Disclosure[] } {
  const builder = new DisclosureBuilder(input)
  const digests = builder.concealMembers(input.data, input.fields, [])
  const { issuer, issuedAt, expiresAt, type, header, versionNo, status } = input
  const payload = {
    iss: issuer,
    iat: toSeconds(issuedAt),
    exp: toSeconds(expiresAt),
    vct: type,
    ...header,
    versionNo,
    [SD_JWT.algorithm]: SD_JWT.sha256,
    [SD_JWT.digests]: digests,
    ...(status !== null && { status: { status_list: { idx: status.index, uri: status.listUrl } } }),
  }
  return { payload, disclosures: builder.disclosures }
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000)

/** Returns the SD-JWT for a reader of this audience. The owner of the passport gets all. */
export function presentSdJwt(
  jwt: string,
  disclosures: readonly Disclosure[],
  audience: Audience | 'owner',
): string {
  const shown = disclosures.filter(one => audience === 'owner' || one.audience.includes(audience))
  return [jwt, ...shown.map(one => one.encoded), ''].join(SD_JWT.separator)
}

export const hashDisclosure = (encoded: string): string => hash('sha256', encoded, 'base64url')

/** A list is shown to those who may see one of its entries. */
const narrowToEntries = (list: Field, value: unknown, outer: readonly Audience[]): readonly Audience[] =>
  list.audienceMember === undefined || !Array.isArray(value) || value.length === 0
    ? outer
    : outer.filter(one => value.some(entry => narrowToEntry(list, entry, [one]).length > 0))

type PathInFields = readonly (string | number)[]

class DisclosureBuilder {
  readonly disclosures: Disclosure[] = []
  private readonly commitKey: Uint8Array
  private readonly place: string

  constructor({ commitKey, passportId, versionNo }: SdJwtInput) {
    this.commitKey = commitKey
    this.place = `${passportId}|${versionNo}`
  }

  /**
   * Makes a disclosure of each of these fields that is there. Returns one digest for each field, sorted:
   * those of missing ones are decoys.
   */
  concealMembers(
    data: DataObject,
    fields: readonly Field[],
    path: PathInFields,
    outer: readonly Audience[] = AUDIENCES,
  ): string[] {
    const digests = fields.map(field => {
      const at = [...path, field.name]
      if (!Object.hasOwn(data, field.name)) return this.derive('decoy', at, DIGEST_BYTES)
      const audience = narrowToEntries(field, data[field.name], narrowAudience(outer, field))
      const value = this.concealInside(data[field.name], field, at, audience)
      const salt = this.derive('salt', at, SALT_BYTES)
      const encoded = encodeBase64Url(JSON.stringify([salt, field.name, value]))
      this.disclosures.push({ encoded, audience })
      return hashDisclosure(encoded)
    })
    return digests.sort()
  }

  /** Replaces members that fewer may see than their object. */
  private concealInside(
    value: unknown,
    field: Field,
    path: PathInFields,
    audience: readonly Audience[],
  ): unknown {
    if (Array.isArray(value) && field.type === 'list') {
      if (field.audienceMember !== undefined) return this.concealEntries(value, field, path, audience)
      return value.map((entry, i) => this.concealObject(entry, field.of ?? [], [...path, i], audience))
    }
    return field.type === 'object' ? this.concealObject(value, field.fields ?? [], path, audience) : value
  }

  /**
   * An entry that fewer may see than its list gets a disclosure of its own. Entries for everyone come first,
   * decoys last, also if nothing is hidden: neither the number of digests nor their places tell anything.
   */
  private concealEntries(
    entries: readonly unknown[],
    list: Field,
    path: PathInFields,
    outer: readonly Audience[],
  ): unknown[] {
    const narrowed = entries
      .map((entry, i) => ({ entry, at: [...path, i], audience: narrowToEntry(list, entry, outer) }))
      .sort((a, b) => b.audience.length - a.audience.length)
      .map(one => ({ ...one, value: this.concealObject(one.entry, list.of ?? [], one.at, one.audience) }))
    const shown = narrowed.filter(one => one.audience.length === outer.length)
    const digests = narrowed.slice(shown.length).map(({ at, audience, value }) => {
      const encoded = encodeBase64Url(JSON.stringify([this.derive('salt', at, SALT_BYTES), value]))
      this.disclosures.push({ encoded, audience })
      return hashDisclosure(encoded)
    })
    const count = ENTRY_DIGESTS.find(one => one >= digests.length) ?? digests.length
    const decoys = Array.from({ length: count - digests.length }, (_, i) =>
      this.derive('decoy', [...path, entries.length + i], DIGEST_BYTES),
    )
    return [
      ...shown.map(one => one.value),
      ...[...digests, ...decoys].map(digest => ({ [SD_JWT.element]: digest })),
    ]
  }

  private concealObject(
    value: unknown,
    fields: readonly Field[],
    path: PathInFields,
    audience: readonly Audience[],
  ): unknown {
    if (!isObject(value)) return value
    const isRestricted = (field: Field) => narrowAudience(audience, field).length < audience.length
    const restricted = fields.filter(isRestricted)
    const open = fields.filter(field => !isRestricted(field))
    const shown = Object.entries(value)
      .filter(([name]) => !restricted.some(field => field.name === name))
      .map(([name, member]) => {
        const field = open.find(one => one.name === name)
        const inner = field && this.concealInside(member, field, [...path, name], audience)
        return [name, field === undefined ? member : inner]
      })
    if (restricted.length === 0) return Object.fromEntries(shown)
    // A member that the category does not know could repeat one that is hidden.
    assert(
      Object.keys(value).every(name => fields.some(field => field.name === name)),
      'an object with restricted members has only members of the category',
    )
    const digests = this.concealMembers(value, restricted, path, audience)
    return { ...Object.fromEntries(shown), [SD_JWT.digests]: digests }
  }

  /** Returns base64url. */
  private derive(kind: 'salt' | 'decoy', path: PathInFields, bytes: number): string {
    const info = `carnet sd-jwt ${kind} v1|${this.place}|${path.join('/')}`
    return encodeBase64Url(Buffer.from(hkdfSync('sha256', this.commitKey, '', info, bytes)))
  }
}
