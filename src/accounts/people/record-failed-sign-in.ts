/**
 * Records wrong passwords in the audit logs of the person's accounts, in one entry an hour with their number.
 */
import { auditPerson } from '../account/audit.ts'
import { type OperatorContext, withTransaction } from '../account/context.ts'

const ENTRY_INTERVAL_MS = 3_600_000

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** An unknown e-mail runs the same statements, so that the response time does not reveal it. */
export async function recordFailedSignIn(ctx: OperatorContext, email: string): Promise<void> {
  const due = new Date(ctx.clock.now().getTime() - ENTRY_INTERVAL_MS)
  await withTransaction(ctx, async tx => {
    const now = tx.clock.now()
    const [person] = await tx.sql<{ id: string; before: number; isDue: boolean }[]>`
      with p as materialized (
        select id, sign_ins_failed, coalesce(failure_noted_at, '-infinity') <= ${due} as is_due
        from person where email = ${email} for update
      )
      update person set
        sign_ins_failed = case when p.is_due then 0 else p.sign_ins_failed + 1 end,
        failure_noted_at = case when p.is_due then ${now} else failure_noted_at end
      from p where person.id = p.id returning p.id, p.sign_ins_failed as before, p.is_due as "isDue"`
    const { id, before } = person?.isDue ? person : { id: NOBODY, before: 0 }
    await auditPerson(tx, id, 'sign_in_failed', before === 0 ? email : `${email} (+${before})`)
  })
}
