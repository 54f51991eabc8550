/** The type of passport data, and the check for objects in it. */

/** The data of a passport, or an object in it. Read own members only: keys come from users. */
export type DataObject = Readonly<Record<string, unknown>>

/** An object that is neither null nor a list. */
export const isObject = (value: unknown): value is DataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
