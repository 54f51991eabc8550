/** Keeps the figures of measured calls in a file, so that a run that was stopped goes on with the next route. */
import { appendFile, readFile } from 'node:fs/promises'
import type { RouteCalls } from './call.ts'
import type { Figures } from './measure.ts'
import type { Measured, Result } from './run-calls.ts'

type StoredCall = { name: string; credential: string; figures: Figures; excess: readonly string[] }
/** One line of the file. */
type StoredRoute = { route: string; unaccepted: readonly string[]; calls: readonly StoredCall[] }

/** The results of the routes that still have each of these calls. */
export async function readMeasured(
  path: string,
  entries: readonly RouteCalls[],
): Promise<Map<string, Result>> {
  const text = await readFile(path, 'utf8').catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  })
  const byRoute = new Map(entries.map(entry => [entry.route, entry]))
  const known = new Map<string, Result>()
  for (const line of text.split('\n').filter(Boolean)) {
    const { route, unaccepted, calls } = JSON.parse(line) as StoredRoute
    const measured = calls.flatMap(({ name, credential, figures, excess }): Measured[] => {
      const call = byRoute.get(route)?.calls.find(one => one.name === name && one.credential === credential)
      return call === undefined ? [] : [{ route, call, figures, excess }]
    })
    if (measured.length === calls.length) known.set(route, { measured, unaccepted: [...unaccepted] })
  }
  return known
}

export async function appendMeasured(
  path: string,
  route: string,
  { measured, unaccepted }: Result,
): Promise<void> {
  const calls = measured.map(({ call: { name, credential }, figures, excess }) => ({
    name,
    credential,
    figures,
    excess,
  }))
  const line: StoredRoute = { route, unaccepted, calls }
  await appendFile(path, `${JSON.stringify(line)}\n`)
}
