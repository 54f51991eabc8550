/** Brings a database to this version: plain numbered SQL files, each applied once, in order, whole or not at all. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from './db.ts'
import { AppError } from './errors.ts'

export type Migration = { number: number; name: string; checksum: string; text: string }

/** Anything but zero; the same in every process, and in no other program that shares the database. */
const LOCK = 7_246_133_905

/** The files of a folder named `0001_….sql`, in order. Throws when a number is missing or given twice. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.sql'))
    .sort()
  return names.map((name, i) => {
    const number = Number(/^(\d{4})_/.exec(name)?.[1])
    if (number !== i + 1)
      throw new Error(`${name} is not migration ${i + 1}: numbers follow each other without a gap`)
    const text = readFileSync(join(folder, name), 'utf8')
    return { number, name, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}

/**
 * Applies what is missing; processes that start together wait for each other. Throws `unavailable` for a database
 * made by a newer version, and for one whose applied files are not ours.
 */
export async function migrate(sql: Sql, folder: string, now: Date): Promise<string[]> {
  const files = readMigrations(folder)
  const line = await sql.reserve()
  try {
    await line`set statement_timeout = 0`
    await line`select pg_advisory_lock(${LOCK})`
    await line`
      create table if not exists schema_migration (
        number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null)`
    const missing = await missingFiles(line as unknown as Sql, files)
    for (const file of missing) {
      await line.unsafe('begin').simple()
      try {
        await line.unsafe(file.text).simple()
        await line`
          insert into schema_migration values (${file.number}, ${file.name}, ${file.checksum}, ${now})`
        await line.unsafe('commit').simple()
      } catch (error) {
        await line.unsafe('rollback').simple()
        throw error
      }
    }
    return missing.map(file => file.name)
  } finally {
    await line`select pg_advisory_unlock_all()`.catch(() => undefined)
    await line`reset statement_timeout`.catch(() => undefined)
    line.release()
  }
}

/** Names of the files that the database has not had. Throws as `migrate` does. */
export async function pendingMigrations(sql: Sql, folder: string): Promise<string[]> {
  const files = readMigrations(folder)
  const [table] = await sql`select to_regclass('schema_migration') as name`
  if (table?.name === null) return files.map(file => file.name)
  return (await missingFiles(sql, files)).map(file => file.name)
}

async function missingFiles(sql: Sql, files: readonly Migration[]): Promise<Migration[]> {
  const applied = await sql<{ number: number; name: string; checksum: string }[]>`
    select number, name, checksum from schema_migration order by number`
  for (const one of applied) {
    const file = files[one.number - 1]
    if (file === undefined) {
      throw new AppError(
        'unavailable',
        `The database was made by a newer Carnet (it has ${one.name}). Start that version; a database is never taken back.`,
      )
    }
    if (file.checksum !== one.checksum) {
      throw new AppError(
        'unavailable',
        `Migration ${file.name} is not the one this database was made with. Put the original file back; changes belong in a new migration.`,
      )
    }
  }
  return files.slice(applied.length)
}
