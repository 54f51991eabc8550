/** Errors as EN 18222 writes them: a `Result` with one message per violation. */
import type { AppError } from '../../kernel/errors.ts'
import { STATUS } from '../endpoint/errors.ts'

/** EN 18222 has no name for other statuses, so the nearest is written; `code` is always Carnet's own. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'ClientNotAuthorized',
  403: 'ClientForbidden',
  404: 'ClientErrorResourceNotFound',
  405: 'ClientMethodNotAllowed',
  409: 'ClientResourceConflict',
  412: 'ClientResourceConflict',
  429: 'ClientForbidden',
}

const getStatusName = (status: number): string =>
  STATUS_NAMES[status] ?? (status < 500 ? 'ClientErrorBadRequest' : 'ServerInternalError')

/** Input that is not valid is 400, because EN 18222 has no 422. */
export const getDppStatus = ({ code }: AppError): number => (code === 'validation' ? 400 : STATUS[code])

export function dppErrorJson(error: AppError, requestId: string, now: Date): string {
  const build = (code: string, text: string) => ({
    messageType: 'Error',
    text,
    code,
    correlationId: requestId,
    timestamp: now.toISOString(),
  })
  const message = error.details?.map(detail => build(`${error.code}:${detail.code}`, detail.message)) ?? [
    build(error.code, error.message),
  ]
  return JSON.stringify({ statusCode: getStatusName(getDppStatus(error)), message })
}
