/** The errors of an environment's settings: the sentences that `readConfig` throws. */
import assert from 'node:assert/strict'
import { ConfigError, readConfig } from '../../src/kernel/config/config.ts'

export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}
