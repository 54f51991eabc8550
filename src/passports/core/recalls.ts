/** The recall notices that hold for a passport: its own, and those of its batch and its model. */
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'

/** Texts by BCP-47 tag. */
export type RecallTexts = Readonly<Record<string, string>>

export type RecallNotice = {
  /** The hazard. */
  hazard: RecallTexts
  /** The action for readers. */
  action: RecallTexts
  /** An http(s) address with more. */
  url: string | null
  /** Whom readers can ask, as text. */
  contact: string | null
  /** The day of the recall, YYYY-MM-DD. */
  from: string
}

/** `id`: the UUID of the passport that has the notice. `number`: of its last change. */
export type RecallInForce = { id: string; number: number; notice: RecallNotice }

/** SQL condition: no later change of the passport's notice than `r`. */
export const isNewestRecall = perDatabase(
  (sql: Sql): Fragment => sql`not exists (
    select from recall_change later where later.account_id = r.account_id and later.passport_id = r.passport_id
      and later.number > r.number)`,
)

/** SQL condition: the notice of `r` holds for `passport p`: three look-ups in an index. */
const holdsFor = perDatabase(
  (sql: Sql): Fragment => sql`
    r.account_id = p.account_id and r.passport_id = any(array[p.id, p.parent_id, p.model_id])
      and r.kind <> 'e' and ${isNewestRecall(sql)}`,
)

/** SQL: the notices that hold for `passport p`, as JSON text; null for none. */
export const selectRecalls = perDatabase(
  (sql: Sql): Fragment => sql`(
    select jsonb_agg(jsonb_build_object('id', r.passport_id, 'number', r.number, 'notice', r.notice))::text
    from recall_change r
    where ${holdsFor(sql)})`,
)

/** SQL condition: a notice holds for `passport p`. */
export const isRecalled = perDatabase(
  (sql: Sql): Fragment => sql`exists (select from recall_change r where ${holdsFor(sql)})`,
)

/** The nearest first: of the passport itself, then of its batch, then of its model. */
export function parseRecalls(row: {
  id: string
  parent_id: string | null
  recalls: string | null
}): RecallInForce[] {
  if (row.recalls === null) return []
  const found: RecallInForce[] = JSON.parse(row.recalls)
  const distance = ({ id }: RecallInForce) => (id === row.id ? 0 : id === row.parent_id ? 1 : 2)
  return found.sort((a, b) => distance(a) - distance(b))
}
