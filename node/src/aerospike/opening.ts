/**
 * What a client would be opened with: `opening.read(url, options).explain()` lists the options in
 * force and where each comes from.
 */

import {
  AEROSPIKE,
  checkUrl,
  type Opening,
  type ReadOptions,
  readOpening,
} from '../opening/opening.js'
import { type ClientOptions, sorted } from './client-options.js'

export type { Environment, ReadOptions } from '../opening/opening.js'
export { Opening } from '../opening/opening.js'

/**
 * The settings of a client that is connected with this URL and these options; nothing is sent.
 * Options take precedence over the URL, then come environment variables, then defaults. Every option
 * is checked, including those that another source overrides.
 *
 * @throws TypeError, RangeError that name the part of the URL or the variable
 */
export function read(
  url?: string | null,
  options: ClientOptions & ReadOptions = {},
): Opening<ClientOptions> {
  checkUrl(url)
  const { environment = process.env, ...others } = options
  sorted(others)
  return readOpening<ClientOptions>(AEROSPIKE, url ?? undefined, others, environment, true)
}
