/** The command line's entrance: `carnet COMMAND`. */
import { runCommandLine } from './cli/run.ts'
import { ConfigError, readEnvironment } from './kernel/config/config.ts'

/** The reader of a pipe may end early, as `head` does. The command still finishes. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written: ${error.message}.\n`)
  process.exitCode = 1
})
process.stderr.on('error', () => {
  process.exitCode = 1
})

async function main(): Promise<number> {
  const err = (text: string) => process.stderr.write(text)
  try {
    const out = (text: string) => process.stdout.write(text)
    return await runCommandLine(process.argv.slice(2), readEnvironment(), { out, err })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    err(`${error.message}\n`)
    return 1
  }
}

const code = await main()
process.exitCode ??= code
