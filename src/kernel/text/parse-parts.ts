/** Parses JSON that is put together of parts of a body. Errors give their place in the body. */
import { AppError, toError } from '../errors/errors.ts'
import { describePlace } from './utf8.ts'

/** Text that stands from the byte `from` on, or that replaces what stands there. */
export type Part = { text: string; from: number }

export const takePart = (bytes: Buffer, from = 0, until = bytes.length): Part => ({
  text: bytes.toString('utf8', from, until),
  from,
})

/** Throws `bad_request`. */
export function parseParts(bytes: Buffer, parts: readonly Part[]): unknown {
  const [first] = parts
  const text = parts.length === 1 && first ? first.text : parts.map(part => part.text).join('')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('bad_request', `The body is not valid JSON: ${explain(error, text, { bytes, parts })}`)
  }
}

type Source = { bytes: Buffer; parts: readonly Part[] }

function explain(error: unknown, text: string, { bytes, parts }: Source): string {
  if (text.trim() === '') return 'it is empty.'
  const { message } = toError(error)
  if (message.startsWith('Unexpected end'))
    return `it ends too early; see ${describePlace(bytes, bytes.length)}.`
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return 'it has an unexpected character.'
  return `see ${describePlace(bytes, findByte(bytes, parts, Number(position)))}.`
}

function findByte(bytes: Buffer, parts: readonly Part[], position: number): number {
  let left = position
  for (const { text, from } of parts) {
    if (left < text.length) return from + Buffer.byteLength(text.slice(0, left))
    left -= text.length
  }
  return bytes.length
}
