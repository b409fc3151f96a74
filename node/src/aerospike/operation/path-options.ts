/** Options of path operations, in `op` and in `exp`. */

import type { PathReturn } from './words.js'

/** The options of `modify` and `remove`. */
export interface PathOptions {
  /** Skips elements that a step or expression fails on. Default: `false`. */
  noFail?: boolean | undefined
}

/** The options of `select`. */
export interface SelectOptions extends PathOptions {
  /**
   * What to return: a list of the values (`'value'`), of the keys in maps (`'key'`), of keys and
   * values by turns (`'key_value'`), or the list or map itself with nothing but what leads to the
   * elements (`'tree'`). Default: `'value'`.
   */
  returning?: PathReturn | undefined
}
