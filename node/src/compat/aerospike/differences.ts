/** Differences from npm `aerospike`. */

import { type Difference, type Differences, differs, missing } from '../differences.js'

const NONE = differs('it has no effect')
const REJECTED = missing('there is no equivalent')

/** Where policies are: in a configuration, and their classes. */
const POLICIES = [
  ...['read', 'write', 'apply', 'remove', 'operate', 'query', 'scan', 'info', 'batch'],
  ...['batchRead', 'batchWrite', 'batchApply', 'batchRemove', 'batchParentWrite'],
  ...['ReadPolicy', 'WritePolicy', 'ApplyPolicy', 'RemovePolicy', 'OperatePolicy', 'QueryPolicy'],
  ...['ScanPolicy', 'InfoPolicy', 'BatchPolicy', 'BatchReadPolicy', 'BatchWritePolicy'],
]
/** Options of policies that have no effect. */
export const UNUSED: readonly string[] = [
  ...['connectTimeout', 'compressionThreshold', 'expectedDuration'],
]

const ENTRIES: { readonly [name: string]: Difference } = {
  'status.getMessage': differs("the sentences are Spikewire's own; codes are the same"),
  'Client.addSeedHost': differs('it counts when the client connects'),
  'Client.removeSeedHost': differs('it counts when the client connects'),
  'Client.stats': differs('connections are shared; those of queries are not counted'),
  'Client.truncate': differs('times are exact to the millisecond'),
  'Query.paginate': differs('maxRecords is required'),
  'Query.setUdf': differs('the module comes from the cluster, not from modlua.userPath'),
  'Query.apply': differs('the module comes from the cluster, not from modlua.userPath'),
  setDefaultLogging: NONE,
  'Client.updateLogging': NONE,
  releaseEventLoop: differs('it only makes connect fail from then on'),
  'Client(configProvider)': differs('its dynamic sections about policies and metrics are read'),
  'Client(log)': NONE,
  'Client(modlua)': NONE,
  'Client(sharedMemory)': NONE,
  'Client(loginTimeoutMs)': NONE,
  'Client(maxConnsPerNode)': differs(
    'up to 16 connections to each node are shared by all commands',
  ),
  'Client(minConnsPerNode)': differs(
    'up to 16 connections to each node are shared by all commands',
  ),
  'tls(cipherSuite)': REJECTED,
  'tls(certBlacklist)': REJECTED,
  'tls(forLoginOnly)': REJECTED,
  ...Object.fromEntries(
    POLICIES.flatMap((policy) => UNUSED.map((option) => [`${policy}(${option})`, NONE])),
  ),
}

/** Differences from npm `aerospike`. */
export const DIFFERENCES: Differences = {
  peer: 'aerospike',
  dropIn: 'spikewire/compat/aerospike',
  entries: ENTRIES,
}
