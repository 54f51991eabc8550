/** Errors as EN 18222 writes them: a `Result` with one message per violation. */
import type { AppError } from '../../kernel/errors/errors.ts'
import { HEADER_MEMBER } from '../../standards/en18223/names.ts'
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

/** A lot, serial or identifier that another passport has is a conflict here, as a GTIN is. */
const isTaken = ({ details = [] }: AppError): boolean =>
  details.length > 0 &&
  details.every(
    ({ code, path }) =>
      code === 'lot_taken' ||
      code === 'serial_taken' ||
      (code === 'duplicate' && path[0] === HEADER_MEMBER.id),
  )

/** Input that is not valid is 400, because EN 18222 has no 422. */
export const getDppStatus = (error: AppError): number => {
  if (error.code !== 'validation') return STATUS[error.code]
  return isTaken(error) ? 409 : 400
}

export function dppErrorJson(error: AppError, requestId: string, now: Date): string {
  const messages = error.details?.map(detail => ({
    messageType: 'Error' as const,
    text: detail.message,
    code: `${error.code}:${detail.code}`,
  })) ?? [{ messageType: 'Error' as const, text: error.message, code: error.code }]
  return buildResult(getStatusName(getDppStatus(error)), messages, requestId, now)
}

type ResultMessage = { messageType: 'Error' | 'Info'; text: string; code: string }

/** A `Result` as JSON. */
export const buildResult = (
  statusCode: string,
  messages: readonly ResultMessage[],
  correlationId: string,
  now: Date,
): string =>
  JSON.stringify({
    statusCode,
    message: messages.map(message => ({ ...message, correlationId, timestamp: now.toISOString() })),
  })
