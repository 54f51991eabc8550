/** Owners of an operator's account answer what other accounts ask for. Both audit logs say so. */
import { actAsOperator } from '../account/accounts.ts'
import { withActor } from '../account/actors.ts'
import { type AuditAction, audit } from '../account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../account/context.ts'
import { requireOperatorAccount } from '../account/operator-accounts.ts'
import type { AccountIdentity } from '../identity/identity.ts'
import { declineVerification } from '../identity/verification-request.ts'
import { approveVerification } from './verify-account.ts'

type Answered = {
  /** The person who answers, in the operator's account. */
  by: Pick<AccountContext, 'accountId' | 'actorId'>
  /** The account that asks. */
  account: number
  request: string
}

/** The asking account reads the name of the operator's account. Throws as `approveVerification`. */
export const approveRequest = (ctx: OperatorContext, input: Answered): Promise<void> =>
  answer(ctx, input, 'verification_request_approved', (account, operator) =>
    approveVerification(account, { request: input.request, approvedBy: operator }),
  )

/** Throws as `declineVerification`. */
export const declineRequest = (ctx: OperatorContext, input: Answered & { reason: string }): Promise<void> =>
  answer(ctx, input, 'verification_request_declined', account =>
    declineVerification(account, { request: input.request, reason: input.reason }),
  )

function answer(
  ctx: OperatorContext,
  { by, account }: Answered,
  action: AuditAction,
  work: (account: AccountContext, operator: string) => Promise<AccountIdentity>,
): Promise<void> {
  const { sql, clock } = ctx
  return withTransaction({ sql, clock }, async tx => {
    const operator = await requireOperatorAccount(tx, by.accountId)
    const { legalName } = await work(await actAsOperator(tx, account), operator)
    const own = await withActor({ ...tx, actorId: by.actorId }, by.accountId)
    await audit(own, action, `${account}: ${legalName}`)
  })
}
