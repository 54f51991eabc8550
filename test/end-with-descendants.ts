/** Preloaded in each test file, so that a signal also ends the file's browsers and servers. */
import { constants } from 'node:os'
import { isMainThread } from 'node:worker_threads'
import { endDescendants } from './descendants.ts'

if (isMainThread) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      endDescendants(process.pid)
      process.exit(128 + constants.signals[signal])
    })
  }
}
