/** How often the operator has withdrawn a file of an account: what is cached of its passports compares. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** SQL value for `passport p`: of its account. */
export const selectWithdrawnFiles = (sql: Sql): Fragment =>
  sql`(select a.withdrawn_files from account a where a.id = p.account_id)`

/** In the transaction that withdraws them. It locks the row of the account. */
export async function addWithdrawnFiles(sql: Sql, accountId: number, count: number): Promise<void> {
  await sql`update account set withdrawn_files = withdrawn_files + ${count} where id = ${accountId}`
}
