/** One way to stop waiting for work that takes too long. */

/** What `work` gives, or throws `createError()` after `ms`. The work itself goes on; its later rejection is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number, createError: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(createError()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
