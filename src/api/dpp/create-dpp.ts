/** CreateDPP: creates a passport from a document in the compressed form. */

import { isDeepStrictEqual } from 'node:util'
import type { AccountContext } from '../../accounts/account/context.ts'
import { removeDocumentUrls } from '../../categories/document-addresses.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError, invalidField } from '../../kernel/errors/errors.ts'
import { getOwn } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { isUnderAddress } from '../../passports/core/dpp-id.ts'
import { getDocumentId } from '../../passports/core/record.ts'
import { findPublicPassport } from '../../passports/read/find.ts'
import { findUnitParent } from '../../passports/units/find-unit-parent.ts'
import { issueUnits } from '../../passports/units/issue-units.ts'
import { createPassport } from '../../passports/write/create.ts'
import { aliasTakenError, createWithAlias } from '../../passports/write/keep-alias.ts'
import { HEADER_MEMBER } from '../../standards/en18223/names.ts'
import type { ApiResponse } from '../endpoint/endpoint.ts'
import { findPublicId, listBases } from './find-passport.ts'
import { NOT_OFFERED, type WriteCall } from './own-passport.ts'
import { DPP_PREFIX, readQueryText } from './parse-target.ts'
import { readDppObject } from './read-dpp-body.ts'
import { type NewDpp, readNewDpp } from './read-new-dpp.ts'
import { readRepresentation } from './representation.ts'

/** 201 with the identifier and the address. A unit gets the fields that differ from those of its parent. */
export async function createDpp(call: WriteCall): Promise<ApiResponse> {
  const { representation } = readQueryText(call.query, ['representation'])
  if (readRepresentation(representation) === 'full') return NOT_OFFERED
  if (/merge-patch/i.test(call.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_media_type', 'A new passport is no patch. Send it as application/json.')
  }
  const { addresses, nsUrl } = call.setup
  const sent = readNewDpp(await readDppObject(call.body), nsUrl)
  const data = removeDocumentUrls(addresses.publicUrl, requireCategory(sent.category), sent.data)
  const dpp = { ...sent, data }
  const { alias } = dpp
  if (alias !== undefined) await requireForeign(call, alias.dppId)
  const create = (account: AccountContext) =>
    dpp.level === 'model' ? createModel(account, dpp) : createUnit(account, dpp)
  const id =
    alias === undefined ? await create(call.account) : await createWithAlias(call.account, alias, create)
  const dppId = getDocumentId(addresses, { id, dpp_id: alias?.dppId ?? null })
  return {
    status: 201,
    body: JSON.stringify({ [HEADER_MEMBER.id]: dppId }),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      location: `${addresses.publicUrl}${DPP_PREFIX}/dpps/${encodeURIComponent(dppId)}`,
    },
  }
}

/** Throws `validation` for an identifier that only this server could have made. */
async function requireForeign({ setup }: WriteCall, dppId: string): Promise<void> {
  if (!listBases(setup.addresses).some(base => isUnderAddress(dppId, base))) return
  const uuid = parseId(findPublicId(setup, dppId) ?? '')
  const taken = uuid !== undefined && (await findPublicPassport(setup.sql, uuid)) !== undefined
  if (taken) throw aliasTakenError({ dppId })
  const message = `${HEADER_MEMBER.id} is an address of this server, which makes these itself. Leave it out.`
  throw invalidField([HEADER_MEMBER.id], 'format', message)
}

async function createModel(account: AccountContext, { category, gtin14, data }: NewDpp): Promise<string> {
  const gtin = getOwn(data, 'gtin') ?? gtin14
  const { passport } = await createPassport(account, {
    category,
    data: gtin === undefined ? data : { ...data, gtin },
    strict: true,
  })
  return passport.id
}

async function createUnit(account: AccountContext, dpp: NewDpp): Promise<string> {
  const { level, gtin14 = '', lot, serial } = dpp
  if (level === 'model') throw new Error('broken assumption: a model is not created as a unit')
  const parent = await findUnitParent(account, { gtin14, lot: level === 'item' ? lot : undefined })
  if (parent === undefined) {
    const what = level === 'item' && lot !== undefined ? `batch ${lot}, or model,` : 'model'
    const message = `The account has no ${what} of GTIN ${gtin14}. Create it first.`
    throw invalidField([HEADER_MEMBER.productId], 'not_found', message)
  }
  if (parent.category !== dpp.category) {
    const message = `The model is of the category ${parent.category}, and so are its units.`
    throw invalidField([HEADER_MEMBER.contentSpecificationIds], 'enum', message)
  }
  const { gtin: _, ...sent } = dpp.data
  const data = Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => !isDeepStrictEqual(value, getOwn(parent.inherited, name))),
  )
  const unit = { ...(level === 'batch' ? { lot } : { serial }), data }
  const input = { parentUuid: parent.id, level, units: [unit], bulk: false, strict: true }
  const { created, errors } = await issueUnits(parent.at, input)
  const [made] = created
  if (made !== undefined) return made.passport.id
  throw errors[0]?.error ?? new Error('broken assumption: a unit is issued or rejected')
}
