/** The entry point of the command line: `carnet COMMAND`. */
import { runProcess } from './cli/run.ts'

/** The reader of a pipe may end early, as `head` does. The command still finishes. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written: ${error.message}.\n`)
  process.exitCode = 1
})
process.stderr.on('error', () => {
  process.exitCode = 1
})

const code = await runProcess(process.argv.slice(2), {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
})
process.exitCode ??= code
