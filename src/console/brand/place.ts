/** Where the page about the brand is. */
export const BRAND = '/console/settings/brand'
