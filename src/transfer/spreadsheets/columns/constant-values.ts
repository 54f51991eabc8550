/** Values that are the same for all rows: lists the missing ones, remembers and validates them. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import { validateData } from '../../../categories/check/validate.ts'
import type { Field } from '../../../categories/field.ts'
import type { Detail } from '../../../kernel/errors/errors.ts'
import type { DataObject } from '../../../kernel/values/data-object.ts'
import { effectiveData, getState } from '../../../passports/core/state.ts'
import { findNewestModel } from '../../../passports/read/find.ts'
import { buildColumnName, type Column, findColumn, listColumns } from './columns.ts'
import { loadRemembered } from './mapping.ts'
import { explainUnit } from './measurement-units.ts'
import { buildRow, collectLayout } from './passport-to-row.ts'
import { buildChanges, type Constant, parseRow, type RowOptions } from './row-to-passport.ts'

export type ConstantTexts = Readonly<Record<string, string>>

export const NEVER_CONSTANT: readonly string[] = ['sku', 'gtin', 'pictures']

/** Lists the columns that a new product requires and the spreadsheet lacks; texts without a language code. */
export function listMissingNames(category: CompleteCategory, columns: readonly Column[]): string[] {
  const names: string[] = []
  const isGiven = (name: string) =>
    columns.some(
      one => one.name === name || one.name.startsWith(`${name}.`) || one.name.startsWith(`${name}[`),
    )
  const visit = (fields: readonly Field[], prefix: string): void => {
    for (const field of fields) {
      const name = `${prefix}${field.name}`
      if (!field.required && !isGiven(name)) continue
      if (field.type === 'object' && !field.localized) visit(field.fields ?? [], `${name}.`)
      else if (field.type === 'list' && isGiven(name)) visitEntries(field, name)
      else if (!isGiven(name)) names.push(name)
    }
  }
  const visitEntries = (field: Field, name: string): void => {
    const places = columns.flatMap(({ path }) =>
      path[0] === name && typeof path[1] === 'number' ? [path[1]] : [],
    )
    for (const place of new Set(places)) visit(field.of ?? [], `${buildColumnName([name, place])}.`)
  }
  visit(category.fields, '')
  return names
}

/** Selects the constants that apply: a column of the spreadsheet takes precedence. */
export function selectConstants(
  category: CompleteCategory,
  texts: ConstantTexts,
  columns: readonly (Column | undefined)[],
): Constant[] {
  const given = new Set(columns.map(column => column?.name))
  return Object.entries(texts).flatMap(([name, text]) => {
    const column = findColumn(category, name)
    const isUsed = column !== undefined && !given.has(column.name) && !isWithin(column, columns)
    return isUsed && text.trim() !== '' ? [{ column, text }] : []
  })
}

const isWithin = ({ path, isWhole }: Column, columns: readonly (Column | undefined)[]): boolean =>
  columns.some(one => one?.path[0] === path[0] && (isWhole === true || one?.isWhole === true))

/** `unit`: what explains a number with a unit that the field cannot have. */
export type InvalidConstant = { name: string; detail: Detail; unit: ReturnType<typeof explainUnit> }

/** Validates constants alone, before any row; missing fields do not matter here. */
export function findInvalidConstants(
  category: CompleteCategory,
  values: readonly Constant[],
  mark: RowOptions['mark'],
): InvalidConstant[] {
  return values.flatMap(({ column, text }) => {
    const reading: RowOptions = { columns: [column], mark, clears: false }
    const data = {
      languages: [column.language ?? 'en'],
      ...buildChanges(parseRow([text], reading), undefined, reading),
    } as DataObject
    const { errors } = validateData(category, data)
    const own = errors.find(({ code, path }) => code !== 'required' && path[1] === column.path[0])
    const unit = own?.code === 'type' ? explainUnit(text, column.field) : undefined
    return own === undefined ? [] : [{ name: column.name, detail: own, unit }]
  })
}

/** Loads the category's last constants or, the first time, company values of the account's newest product. */
export async function loadConstants(ctx: AccountContext, category: CompleteCategory): Promise<ConstantTexts> {
  const { constants } = await loadRemembered(ctx, category.id)
  return Object.keys(constants).length > 0 ? constants : getCompanyValues(ctx, category)
}

const COMPANY_FIELDS: readonly string[] = ['brandName', 'economicOperator', 'languages']

async function getCompanyValues(ctx: AccountContext, category: CompleteCategory): Promise<ConstantTexts> {
  const newest = await findNewestModel(ctx, { status: 'a', category: category.id })
  if (newest === undefined) return {}
  const data = effectiveData(await getState(ctx, newest.id))
  const collected = collectLayout(category)
  collected.add(data)
  const columns = listColumns(category, collected.layout()).filter(({ path }) =>
    COMPANY_FIELDS.includes(String(path[0])),
  )
  const cells = buildRow(data, columns)
  return Object.fromEntries(
    columns.flatMap(({ name }, place) => {
      const cell = cells[place] ?? null
      return cell === null || cell === '' ? [] : [[name, String(cell)]]
    }),
  )
}

/** Returns true if a constant names a company, so that a person must choose it for each spreadsheet. */
export const namesCompany = (category: CompleteCategory, name: string): boolean => {
  const root = findColumn(category, name)?.path[0]
  return category.fields.some(field => field.name === root && field.shape === 'organization')
}

/** Separates the constants that a new import may begin with from those that are only offered. */
export function splitOffered(category: CompleteCategory, texts: ConstantTexts) {
  const { offered = [], used = [] } = Object.groupBy(Object.entries(texts), ([name]) =>
    namesCompany(category, name) ? 'offered' : 'used',
  )
  return { texts: Object.fromEntries(used), offered: Object.fromEntries(offered) }
}

/** Saves the constants. Earlier ones that a column replaced this time are kept, and companies to offer. */
export async function saveConstants(
  ctx: AccountContext,
  category: CompleteCategory,
  columns: readonly (Column | undefined)[],
  texts: ConstantTexts,
): Promise<void> {
  const before = await loadConstants(ctx, category)
  const unused = new Set(selectConstants(category, before, columns).map(({ column }) => column.name))
  const kept = Object.entries(before).filter(([name]) => !unused.has(name) || namesCompany(category, name))
  const constants = JSON.stringify({ ...Object.fromEntries(kept), ...texts })
  await ctx.sql`
    insert into sheet_mapping as m (account_id, category, columns, constants)
    values (${ctx.accountId}, ${category.id}, '{}', ${constants}::text::json)
    on conflict (account_id, category) do update set constants = excluded.constants`
}
