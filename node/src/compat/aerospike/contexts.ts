/** Context paths: `cdt`. */

export { Context, Context as CdtContext } from './cdt.js'
