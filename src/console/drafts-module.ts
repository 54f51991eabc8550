/** The module of `assets/console` that keeps what was typed and not saved. */
export const DRAFTS_MODULE = 'drafts'
