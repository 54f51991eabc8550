/**
 * Records wrong passwords in the audit logs of the person's accounts, in one entry an hour with their number.
 */
import { insertAuditEntries } from '../audit.ts'
import type { OperatorContext } from '../context.ts'

const ENTRY_INTERVAL_MS = 3_600_000

/** An unknown e-mail runs the same statement, so that the response time does not reveal it. */
export async function recordFailedSignIn(ctx: OperatorContext, email: string): Promise<void> {
  const { sql } = ctx
  const now = ctx.clock.now()
  const due = new Date(now.getTime() - ENTRY_INTERVAL_MS)
  const subject = sql`email || case when sign_ins_failed = 0 then '' else ' (+' || sign_ins_failed || ')' end`
  await sql`
    with p as materialized (
      select id, email, sign_ins_failed, coalesce(failure_noted_at, '-infinity') <= ${due} as is_due
      from person where email = ${email} for update
    ), counted as (
      update person set
        sign_ins_failed = case when p.is_due then 0 else p.sign_ins_failed + 1 end,
        failure_noted_at = case when p.is_due then ${now} else failure_noted_at end
      from p where person.id = p.id
    )
    ${insertAuditEntries(ctx, 'sign_in_failed', subject)}
    from p join membership m on m.person_id = p.id where p.is_due`
}
