/** Whether to run all tests at full length: `npm run test:full`. */
export const IS_FULL = process.env.CARNET_TEST_FULL !== undefined
