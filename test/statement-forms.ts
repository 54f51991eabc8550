/** Finds statements in a form that Citus cannot run: there are no others for a plain PostgreSQL. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FinishedStatement } from '../src/kernel/db/connections.ts'
import { SHARED_TABLES } from '../src/kernel/db/shards.ts'

/** Tried on Citus, where each write of a statement costs milliseconds: by their beginning, with the reason. */
const SEVERAL_WRITES: Record<string, string> = {
  'with parent as ( update passport set units_content_id': 'the first units of a parent: once in its life',
  'with new_events as ( insert into event (': 'the events about a batch of scans',
  'with logged as ( insert into webhook_attempt': 'the results of many deliveries together',
}

const WRITE =
  /\b(?:insert into|delete from|update (?!set\b|of\b|skip\b|nowait\b)(?<!\bfor (?:no key )?update )) ?(?:public\.)?([a-z_]+)/g
const AFTER_CONFLICT = /\bon conflict\b(.*?)(?=\breturning\b|$)/
const VARYING =
  /\b(?:now|clock_timestamp|statement_timestamp|random|gen_random_uuid)\(|\bcurrent_(?:date|time|timestamp)\b/
/** `timestamptz - interval` depends on the time zone of the session. */
const BY_TIME_ZONE = /(?<!at time zone 'UTC') [-+] interval\b/
const MATERIALIZED = /\bas materialized (\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))/g
const TABLE = /\b(?:from|join|into|update|using) (?:public\.)?([a-z_]+)/g

const isOfShards = (tables: readonly string[]) => (name: string) =>
  tables.includes(name) && !SHARED_TABLES.some(shared => shared === name)

/** Why Citus could not run the statement; undefined if it can. `tables`: those of the database. */
export function explainForm(text: string, tables: readonly string[]): string | undefined {
  const form = text
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const conflict = AFTER_CONFLICT.exec(form)?.[1] ?? ''
  if (/\$\d/.test(conflict)) return 'a parameter after "on conflict": take a column of excluded'
  if (VARYING.test(conflict) || BY_TIME_ZONE.test(conflict))
    return 'a function that is not immutable after "on conflict": use a column of excluded, times in UTC'
  if (/\(\s*select\b/.test(conflict)) return 'a subquery after "on conflict": use a column of the table'
  const written = Array.from(form.matchAll(WRITE), ([, name = '']) => name)
  const isException = Object.keys(SEVERAL_WRITES).some(begin => form.startsWith(begin))
  if (/\bcase (?!when\b)/i.test(form) && written.some(isOfShards(tables)))
    return 'a case with one value: write a condition after each "when"'
  if (written.length > 1 && written.some(isOfShards(tables)) && !isException)
    return 'several writes in one statement: send each, or write a function'
  const outside = form.replaceAll(MATERIALIZED, '')
  const named = Array.from(outside.matchAll(TABLE), ([, name = '']) => name)
  const ofShards = named.filter(isOfShards(tables))
  if (named.includes('gtin_claim') && ofShards.length > 0)
    return 'a join of gtin_claim with a table of a shard: read the claims in a materialized CTE'
  const [, source = ''] = /\binsert into .*?\b(select\b.*)/.exec(outside) ?? []
  const read = Array.from(source.matchAll(TABLE), ([, name = '']) => name).filter(isOfShards(tables))
  if (read.length > 0 && VARYING.test(source.split(' on conflict ')[0] ?? ''))
    return 'a clock in an insert that selects from a shard: read first, in a materialized CTE'
  return undefined
}

const readFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')

let files: { source: string; tests: string } | undefined

/**
 * Tests write statements of their own. The beginning of one that begins with a fragment is in no file: it is the
 * server's, too.
 */
function isOfServer(text: string): boolean {
  files ??= { source: readFiles(join(import.meta.dirname, '../src')), tests: readFiles(import.meta.dirname) }
  const [begin = text] = text.split('$')
  return files.source.includes(begin) || !files.tests.includes(begin)
}

/** Checks each text that a pool runs, once. `problems` are of the server's own statements. */
export function watchForms(listTables: () => readonly string[]) {
  const seen = new Set<string>()
  const problems: string[] = []
  return {
    /** Throws with the statements that Citus could not run. */
    requireNone(): void {
      if (problems.length > 0) throw new Error(`Statements that Citus cannot run:\n${problems.join('\n\n')}`)
    },
    onStatementEnd({ text }: FinishedStatement): void {
      if (seen.has(text)) return
      seen.add(text)
      const problem = explainForm(text, listTables())
      if (problem !== undefined && isOfServer(text)) problems.push(`${problem}\n${text}`)
    },
  }
}
