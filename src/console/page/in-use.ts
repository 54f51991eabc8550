/** Whether a key or an access link opens anything at a moment. */
export const isInUse = (
  { revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null },
  now: Date,
) => revoked_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime())
