/** Revokes a signing key of an account and deletes what it has signed. */
import { type Issuer, revokeSigningKey } from '../../accounts/issuer/issuer.ts'
import type { IssuerContext } from '../../accounts/issuer/stored-keys.ts'
import { dropSignatures } from './signatures.ts'

/** If it is interrupted between the two, nobody gets the old signatures; calling it again deletes them. */
export async function revokeKeyAndSignatures(ctx: IssuerContext, keyNumber: number): Promise<Issuer> {
  const issuer = await revokeSigningKey(ctx, keyNumber)
  await dropSignatures(ctx, keyNumber)
  return issuer
}
