/** Paths of the console that pages of other folders link to. */

export const PRODUCTS = '/console/products'
