/** `carnet passports revoke-credential`: declares that the credentials of a passport were issued in error. */
import { withActor } from '../../accounts/account/actors.ts'
import { findIssuer } from '../../accounts/issuer/issuer.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { buildStatusListUrl } from '../../passports/documents/status-place.ts'
import { findPublicPassport, requireProductUuid } from '../../passports/read/find.ts'
import { revokeCredential } from '../../passports/signed/revoke-credential.ts'
import type { Command } from '../command-line/command.ts'
import { onStore } from '../store/with-store.ts'

export const passportsRevokeCredential: Command = {
  usage: 'passports revoke-credential ID',
  about: 'revokes the credentials of this version of a passport and of all before it',
  positionals: ['ID'],
  run: onStore(
    args => args.get('ID'),
    async (ctx, id) => {
      const row = await findPublicPassport(ctx.sql, requireProductUuid(id))
      if (row === undefined) throw notFound('product')
      const account = await withActor(ctx, row.account_id)
      const { listNo, index, versionNo, isNew } = await revokeCredential(account, row)
      const issuer = await findIssuer(ctx.sql, row.account_id)
      const listUrl = buildStatusListUrl(ctx.addresses, issuer?.name ?? '', listNo)
      return {
        value: {
          product_id: id,
          account_id: String(row.account_id),
          last_version: versionNo,
          status: { list_url: listUrl, index },
          newly_revoked: isNew,
        },
        text: describe({ id, versionNo, isNew, place: `number ${index} of ${listUrl}` }),
      }
    },
  ),
}

function describe({
  id,
  versionNo,
  isNew,
  place,
}: {
  id: string
  versionNo: number
  isNew: boolean
  place: string
}): string {
  const what = `The credentials of product ${id} up to version ${versionNo}`
  if (!isNew) return `${what} had been revoked before (${place}).`
  return [
    `${what} are revoked (${place}).`,
    'Verifiers see it within five minutes. A later version of the product gets a new credential that is valid.',
  ].join('\n')
}
