/** Whether nothing is to be left out or made short: `npm run test:full`. */
export const IS_FULL = process.env.CARNET_TEST_FULL !== undefined
