/** Differences from npm `cassandra-driver`. */

import { type Difference, type Differences, differs, missing } from '../differences.js'

const ENTERPRISE = missing('it is a feature of DataStax Enterprise, not of Cassandra')
const ENGINE = differs('the engine handles this itself; the option is accepted')

const ENTRIES: { readonly [name: string]: Difference } = {
  'Client.executeGraph': ENTERPRISE,
  'Client.controlConnection': missing(
    'the engine has it; client.hosts and client.metadata tell what it knows',
  ),
  'Client(graphOptions)': ENTERPRISE,
  'Client(monitorReporting)': differs('nothing is reported to DataStax Enterprise'),
  'Client(prepareOnAllHosts)': ENGINE,
  'Client(rePrepareOnUp)': ENGINE,
  'Client(refreshSchemaDelay)': differs(
    'it is for changes by other clients; after changes of the client the schema is read at once',
  ),
  'Client(promiseFactory)': differs('promises are those of the language'),
  'Client(maxPrepared)': differs('the statements used longest ago are prepared again'),
  'Client(sslOptions)': differs(
    'certificates are verified unless rejectUnauthorized is false, the default of the other driver',
  ),
  'Client(cloud)': differs('the archive must be a file; it is not unpacked'),
  'sslOptions(checkServerIdentity)': missing('use servername, or verifyHostname: false'),
  'socketOptions(defunctReadTimeoutThreshold)': ENGINE,
  'socketOptions(keepAlive)': ENGINE,
  'socketOptions(keepAliveDelay)': ENGINE,
  'socketOptions(tcpNoDelay)': ENGINE,
  'socketOptions(coalescingThreshold)': ENGINE,
  'pooling(heartBeatInterval)': differs('0 means the default: connections are never without'),
  'socketOptions(readTimeout)': differs('it is for the whole statement, retries included'),
  'protocolOptions(maxVersion)': differs(
    'versions 4 and 5 of the protocol; the default is 5, then 4',
  ),
  'protocolOptions(noCompact)': ENGINE,
  'policies(reconnection)': differs(
    'pauses double between the shortest and the longest of the policy',
  ),
  'execute(hints)': differs(
    'statements with parameters are always prepared: values are checked against hints, and sent as ' +
      'the types of the server',
  ),
  'execute(keyspace)': differs('it is for the statement, too, with version 5 of the protocol'),
  'execute(prepare)': differs('statements with parameters are always prepared'),
  'execute(executeAs)': ENTERPRISE,
  'metrics.DefaultMetrics': differs(
    'speculative executions and retries of the engine are not counted',
  ),
  'tracker.RequestLogger': differs('the length of a request that failed is 0'),
  'tracker.RequestTracker': differs('the length of a request that failed is 0'),
  'auth.DseGssapiAuthProvider': ENTERPRISE,
  'auth.DsePlainTextAuthProvider': differs('there is no authorizationId'),
  'types.Long': differs('a class of its own with the methods of npm long, which it accepts'),
  'types.FrameHeader': missing('it is internal'),
  'types.opcodes': missing('it is internal'),
  'types.frameFlags': missing('it is internal'),
  'types.resultKind': missing('it is internal'),
  Encoder: missing('values are encoded by the engine'),
  'geometry*': ENTERPRISE,
  'datastax*': ENTERPRISE,
}

/** Differences from npm `cassandra-driver`. */
export const DIFFERENCES: Differences = {
  peer: 'cassandra-driver',
  dropIn: 'spikewire/compat/cassandra-driver',
  entries: ENTRIES,
}
