/** The command line's entrance: `carnet COMMAND`. */
import { runCommandLine } from './cli/run.ts'
import { environment } from './kernel/config.ts'

const code = await runCommandLine(process.argv.slice(2), environment(), {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
})
process.exitCode = code
