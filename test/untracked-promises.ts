/**
 * Preloaded in each test file: Node's test runner then does not follow promises, which costs a test file up to
 * a fifth of its time. An unhandled rejection still fails the file, but is not blamed on one of its tests.
 */
import { createRequire } from 'node:module'

const hooks = createRequire(import.meta.url)('node:async_hooks') as typeof import('node:async_hooks')
const { createHook } = hooks

// The test runner takes it from there when a file first imports it.
hooks.createHook = callbacks => createHook({ ...callbacks, trackPromises: false })
