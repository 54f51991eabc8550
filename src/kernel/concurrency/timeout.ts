/**
 * Throws `createError()` if `work` takes longer than `ms`. The work continues; its later rejection is
 * ignored.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, createError: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(createError()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
