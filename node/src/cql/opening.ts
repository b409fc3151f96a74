/**
 * What a session would be opened with: `opening.read(url, options).explain()` lists the options in
 * force and where each comes from.
 */

import {
  CASSANDRA,
  checkUrl,
  type Opening,
  type ReadOptions,
  readOpening,
} from '../opening/opening.js'
import type { SessionOptions } from './options.js'

export type { Environment, ReadOptions } from '../opening/opening.js'
export { Opening } from '../opening/opening.js'

/**
 * The settings of a session that is connected with this URL and these options; nothing is sent.
 * Options take precedence over the URL, then come environment variables, then defaults. Every option
 * is checked, including those that another source overrides.
 *
 * @throws TypeError, RangeError that name the part of the URL or the variable
 */
export function read(
  url?: string | null,
  options: SessionOptions & ReadOptions = {},
): Opening<SessionOptions> {
  checkUrl(url)
  const { environment = process.env, ...others } = options
  return readOpening<SessionOptions>(CASSANDRA, url ?? undefined, others, environment, true)
}
