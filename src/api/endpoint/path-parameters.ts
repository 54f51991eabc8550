/** The parameters in paths: the description and the parser of each. */
import { type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { requireUuid } from '../../kernel/crypto/ids.ts'
import { type DetailCode, invalid, notFound } from '../../kernel/errors/errors.ts'
import { requireMediaOrFetchId } from '../../media/fetch/media-fetch.ts'
import { requireProductUuid, requireVersionNo } from '../../passports/read/find.ts'

type PathParameter<T, E> = {
  description: string
  schema: object
  example: E
  /** Throws `validation`, or `not_found` for a text that can identify nothing. */
  read: (text: string) => T
}

const define = <T, E extends string | number>(parameter: PathParameter<T, E>) => parameter

export const PATH_PARAMETERS = {
  id: define({
    description: 'The product: a model, a batch or an item.',
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: '01m7ywhcr7fxwrqq1xd4m28c2t',
    read: requireProductUuid,
  }),
  draft: define({
    description: 'The draft.',
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: '01m7ywk3v8q2c5n6x7z9b1d4fg',
    read: text => requireUuid(text, 'draft'),
  }),
  media: define({
    description: 'The file: the SHA-256 of its bytes, or the temporary id of one that is fetched.',
    schema: { type: 'string', pattern: '^([0-9a-f]{64}|[0-9a-z]{26})$' },
    example: '3b3a2e2a2b9dd25b8d44ea1b4ef5b9c0f8f1bb1d3f4d0e9f6b5c7a8d9e0f1a2b',
    read: requireMediaOrFetchId,
  }),
  offer: define({
    description: 'The offer.',
    schema: { type: 'string', minLength: 26, maxLength: 26 },
    example: '01m7ywm5d8w4s9t2v6x8y1a3bc',
    read: text => requireUuid(text, 'offer'),
  }),
  n: define({
    description: 'Version number.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
    read: requireVersionNo,
  }),
  sku: define({
    description: 'The SKU of the product. Send a slash in it as %2F.',
    schema: { type: 'string', minLength: 1, maxLength: 500 },
    example: 'OST-45',
    read: text => text,
  }),
  gtin: define({
    description: 'The GTIN of the product; leading zeros make no difference.',
    schema: { type: 'string', minLength: 8, maxLength: 14 },
    example: '9521234000013',
    read: requireGtin,
  }),
  category: define({
    description: 'One of `GET /categories`.',
    schema: { type: 'string' },
    example: 'textile',
    read: requireCategoryInPath,
  }),
}

export type PathParameterName = keyof typeof PATH_PARAMETERS
export type PathValues<Names extends PathParameterName> = {
  [Name in Names]: ReturnType<(typeof PATH_PARAMETERS)[Name]['read']>
}

function requireGtin(gtin: string): string {
  const problem = findGtinProblem(gtin, 'gtin')
  if (problem === undefined) return gtin
  throw invalid([{ path: ['gtin'], in: 'path', ...problem }])
}

export function findGtinProblem(
  gtin: string,
  name: string,
): { code: DetailCode; message: string } | undefined {
  const violation = FORMAT_RULES.gtin.findViolation(gtin)
  return violation && { code: violation.code, message: `${name} ${toEnglish(violation.problem)}` }
}

function requireCategoryInPath(id: string): CompleteCategory {
  const category = findCategory(id)
  if (category === undefined) throw notFound('category')
  return category
}

const isPathParameterName = (name: string): name is PathParameterName => Object.hasOwn(PATH_PARAMETERS, name)

/** The parameters of a path template such as `/products/:id`, in its order. */
export const listPathParameterNames = (path: string): PathParameterName[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => {
    if (!isPathParameterName(name)) throw new Error(`the parameter ${name} of ${path} is not described`)
    return name
  })

/** The path parameters of a request as text. */
export type RawPath = Readonly<Record<string, string>>

/** The values of these parameters. Throws the error of the first invalid one. */
export function readPath(names: readonly PathParameterName[], sent: RawPath) {
  const values: Partial<Record<PathParameterName, unknown>> = {}
  for (const name of names) values[name] = PATH_PARAMETERS[name].read(sent[name] ?? '')
  return values as PathValues<PathParameterName>
}
