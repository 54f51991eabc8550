/** The type of a JSON object from users, and the check for it. */

/** Read own members only: keys come from users. */
export type DataObject = Readonly<Record<string, unknown>>

/** An object that is neither null nor a list. */
export const isObject = (value: unknown): value is DataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const getOwn = (data: DataObject | undefined, name: string | number): unknown =>
  data !== undefined && Object.hasOwn(data, name) ? data[name] : undefined

/** Empty for any other value. */
export const asObject = (value: unknown): DataObject => (isObject(value) ? value : {})
