/** The options of executions for the native session. */

import type { ExecuteOptions } from '../../cql/options.js'
import { ResponseError } from './errors.js'
import type { DefaultExecutionOptions } from './execution-options.js'
import { levelName } from './failures.js'
import { neverRetries } from './policy-runs.js'
import { consistencies, responseErrorCodes } from './types/constants.js'
import { Long } from './types/long.js'

type NativeOptions = { [name: string]: unknown } | undefined

/** Adds an option, unless it is undefined. */
function put(options: NativeOptions, name: string, value: unknown): NativeOptions {
  if (value === undefined) return options
  const result = options ?? {}
  result[name] = value
  return result
}

/** Throws what the server says of a level that is not for conditions. */
function checkedSerial(level: number): number {
  if (level === consistencies.serial || level === consistencies.localSerial) return level
  throw new ResponseError(
    responseErrorCodes.invalid,
    'Invalid consistency for conditional update. Must be one of SERIAL or LOCAL_SERIAL',
  )
}

/** The options of the native session that differ from the client's; mostly none. */
export function nativeOptions(
  options: DefaultExecutionOptions,
  keyspace: string | undefined,
  hasOwnTimestamps: boolean,
): ExecuteOptions | undefined {
  const { raw, profile } = options
  let result: NativeOptions
  const consistency = raw.consistency ?? profile.consistency
  if (consistency !== undefined) result = put(result, 'consistency', levelName(consistency))
  const serial = raw.serialConsistency ?? profile.serialConsistency
  if (serial !== undefined) {
    result = put(result, 'serialConsistency', levelName(checkedSerial(serial)))
  }
  result = put(result, 'timeout', raw.readTimeout ?? profile.readTimeout)
  if (raw.fetchSize !== undefined && raw.fetchSize > 0) {
    result = put(result, 'pageSize', raw.fetchSize)
  }
  result = put(result, 'pagingState', options.getPageState())
  if (options.isIdempotent()) result = put(result, 'idempotent', true)
  if (options.isQueryTracing()) result = put(result, 'tracing', true)
  result = put(result, 'payload', options.getCustomPayload() ?? undefined)
  result = put(result, 'keyspace', keyspace)
  const timestamp = hasOwnTimestamps ? options.getOrGenerateTimestamp() : raw.timestamp
  if (timestamp !== undefined && timestamp !== null) {
    const number = typeof timestamp === 'number' ? timestamp : Long.fromValue(timestamp).toBigInt()
    result = put(result, 'timestamp', number)
  }
  if (raw.host !== undefined) result = put(result, 'node', raw.host.address)
  if (neverRetries(options.getRetryPolicy())) result = put(result, 'maxRetries', 0)
  return result as ExecuteOptions | undefined
}
