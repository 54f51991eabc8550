/**
 * Renders a passport as JSON-LD 1.1, with terms of schema.org and GS1 where they exist, else `dpp:` terms.
 */
import type { Field } from '../../categories/field.ts'
import { addPictureAddresses } from '../../categories/picture-addresses.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { listPictureAddresses } from '../../passports/read/picture-files.ts'
import type { Origin } from '../page/origin.ts'
import type { PassportView } from '../page/passport-view.ts'
import { getJsonLdClass, getJsonLdTerm, type JsonLdNode, SHAPES, toIriNode } from './shapes.ts'

/** schema.org defines AI 21 for IndividualProduct and AI 10 for SomeProducts. */
const TYPES = {
  model: ['Product', 'ProductModel'],
  batch: ['Product', 'SomeProducts'],
  item: ['Product', 'IndividualProduct'],
} as const

/** `nsUrl` is the address of the context and the base of the `dpp:` terms. */
export function renderJsonLd(view: PassportView, nsUrl: string): string {
  const { gtin, lot, serial, model, batch } = view
  const envelope: JsonLdNode = {
    '@context': nsUrl,
    '@id': getProductIri(view),
    '@type': TYPES[view.level],
    url: { '@id': view.url },
    category: view.category.id,
    ...(view.gs1Url === null ? {} : { hasGS1DigitalLink: { '@id': view.gs1Url } }),
    ...(gtin === null ? {} : { gtin }),
    ...(gtin === null || !isWorldwideGtin(gtin) ? {} : { 'gs1:gtin': toGtin14(gtin) }),
    ...(lot === null ? {} : { 'gs1:hasBatchLotNumber': lot }),
    ...(serial === null ? {} : { serialNumber: serial, 'gs1:hasSerialNumber': serial }),
    ...(model === null ? {} : { model: { '@id': getProductIri(model) } }),
    ...(batch === null ? {} : { 'dpp:batch': { '@id': getProductIri(batch) } }),
    subjectOf: {
      '@id': view.url,
      '@type': ['CreativeWork', 'DigitalProductPassport'],
      inLanguage: view.data.languages,
      version: view.versionNo,
      dateModified: view.changedAt.toISOString(),
      'dpp:status': view.status,
      ...(view.outdated ? { 'dpp:outdated': true } : {}),
      ...(view.isNewestVersion
        ? {}
        : {
            'dpp:supersededBy': { '@id': view.url },
            'dpp:supersededByVersion': view.newestVersionNo,
          }),
      ...buildInherited(view),
    },
    ...(view.recalls.length === 0
      ? {}
      : { 'dpp:recall': view.recalls.map(recall => buildRecall(recall, new URL(view.url).host)) }),
  }
  return `${JSON.stringify({ ...envelope, ...buildProduct(view) }, null, 1)}\n`
}

/** Everybody sees all of it. */
function buildRecall({ level, notice }: PassportView['recalls'][number], ownHost: string): JsonLdNode {
  const { from, hazard, action, url, contact } = notice
  return {
    '@type': 'dpp:RecallNotice',
    'dpp:recallLevel': level,
    'dpp:recalledFrom': from,
    'dpp:recallHazard': hazard,
    'dpp:recallAction': action,
    ...(url === null ? {} : { 'dpp:recallUrl': toIriNode(url, ownHost) }),
    ...(contact === null ? {} : { 'dpp:recallContact': contact }),
  }
}

/** The fields that a unit inherits from its model and from its batch. */
function buildInherited({ origins }: PassportView): JsonLdNode {
  const namesFrom = (origin: Origin) =>
    Array.from(origins ?? []).flatMap(([name, from]) => (from === origin ? name : []))
  const fromModel = namesFrom('model')
  const fromBatch = namesFrom('batch')
  return {
    ...(fromModel.length > 0 ? { 'dpp:inheritedFromModel': fromModel } : {}),
    ...(fromBatch.length > 0 ? { 'dpp:inheritedFromBatch': fromBatch } : {}),
  }
}

const getProductIri = ({ url, gs1Url }: { url: string; gs1Url: string | null }) => gs1Url ?? `${url}#product`

function buildProduct(view: PassportView): JsonLdNode {
  const node: JsonLdNode = {}
  const ownHost = new URL(view.url).host
  const buildOwn: MemberBuilder = (fields, of) => buildMembers(fields, of, ownHost)
  const data = addPictureAddresses(view.category, view.data, listPictureAddresses(view.pictures))
  for (const field of view.category.fields) {
    const value = getOwn(data, field.name)
    if (value === undefined || value === null) continue
    const shape = field.shape === undefined ? undefined : SHAPES[field.shape]
    const members = shape?.({ field, value, passportUrl: view.url, buildMembers: buildOwn }) ?? {
      [getJsonLdTerm(field)]: buildValue(field, value, ownHost),
    }
    for (const [term, added] of Object.entries(members))
      node[term] = node[term] === undefined ? added : [node[term], added].flat()
  }
  return node
}

type MemberBuilder = (fields: readonly Field[], data: DataObject) => JsonLdNode

/** `ownHost`: of this server. */
function buildMembers(fields: readonly Field[], data: DataObject, ownHost: string): JsonLdNode {
  const node: JsonLdNode = {}
  for (const field of fields) {
    const value = getOwn(data, field.name)
    if (value !== undefined && value !== null) node[getJsonLdTerm(field)] = buildValue(field, value, ownHost)
  }
  return node
}

function buildValue(field: Field, value: unknown, ownHost: string): unknown {
  if (field.type === 'object')
    return { '@type': getJsonLdClass(field), ...buildMembers(field.fields ?? [], asObject(value), ownHost) }
  if (field.type === 'list') {
    const [only] = field.of ?? []
    if (only === undefined) return value
    const isScalar = only.name === ''
    return (value as readonly unknown[]).map(entry =>
      isScalar
        ? buildValue(only, entry, ownHost)
        : { '@type': getJsonLdClass(field), ...buildMembers(field.of ?? [], asObject(entry), ownHost) },
    )
  }
  if (field.format === 'url' && !field.localized && typeof value === 'string')
    return toIriNode(value, ownHost)
  return value
}
