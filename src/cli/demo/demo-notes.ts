/** Keeps the demo's password, key and link in its data folder, so that a later run can print them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from '../../kernel/process/private-file.ts'
import { requireUnreadableByOthers } from '../store/secret-key.ts'
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

/** Empty when there are none yet. Throws CommandError when other users can read the file. */
export function readDemoNotes(dataDir: string): DemoNotes {
  const path = join(dataDir, FILE)
  if (!existsSync(path)) return {}
  requireUnreadableByOthers(path, `${path} holds the demo's key and`)
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
