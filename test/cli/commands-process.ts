/**
 * Runs one command after another in this process, each with the folder and environment that its message names:
 * to start a process for each takes ten times as long as most commands. Ends with its parent.
 */
import { getActiveResourcesInfo } from 'node:process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runProcess } from '../../src/cli/run.ts'
import type { Command, Result } from './command-runner.ts'

/** Lists what a command may leave open: pipes to the parent. No process would end with anything else. */
const ALLOWED = ['PipeWrap', 'TTYWrap']

// Each command adds its own handlers, for a process that ends with it.
process.setMaxListeners(0)
process.on('message', async ({ words, cwd, env, end }: Command) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const code = await runProcess(words, {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
  })
  const result: Result = { code: Number(process.exitCode ?? code), open: await listOpen() }
  process.exitCode = undefined
  process.stdout.write(end)
  process.stderr.write(end)
  process.send?.(result)
})

/** Lists what would keep this command's process alive. Closed sockets and lines of the log take some turns. */
async function listOpen(): Promise<string[]> {
  const find = () => getActiveResourcesInfo().filter(one => !ALLOWED.includes(one))
  for (let turn = 0; turn < 50 && find().length > 0; turn++) await nextTurn()
  return find().filter(one => one !== 'Immediate')
}
