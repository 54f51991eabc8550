/** Keeps the demo's password, key and link in its data folder, so that a later run can print them. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../../kernel/process/private-file.ts'
import { CommandError } from '../command-line/command.ts'
import type { DemoSummary } from './demo-summary.ts'

/** Each `id` belongs to the record of the secret beside it. */
export type DemoNotes = {
  user?: { email: string; password: string }
  key?: { id: string; key: string }
  link?: { id: string; token: string }
  /** The summary that was printed last. */
  summary?: DemoSummary
}

const FILE = 'demo.json'
const GROUP_AND_OTHERS = 0o077

/** Empty when there are none yet. Throws CommandError when other users can read the file. */
export function readDemoNotes(dataDir: string): DemoNotes {
  const path = join(dataDir, FILE)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return {}
  if (process.platform !== 'win32' && (stats.mode & GROUP_AND_OTHERS) !== 0) {
    throw new CommandError(`${path} holds the demo's key and can be read by others. Run: chmod 600 ${path}`)
  }
  try {
    const notes: DemoNotes = JSON.parse(readFileSync(path, 'utf8'))
    return notes
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** Replaces the file as a whole, so a crash leaves the old notes or the new ones. */
export const writeDemoNotes = (dataDir: string, notes: DemoNotes): Promise<void> =>
  writePrivateFile(join(dataDir, FILE), put => put(`${JSON.stringify(notes, null, 2)}\n`))
