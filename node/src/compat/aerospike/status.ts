/** Result codes of servers and of the client, by name, with and without the prefix `AEROSPIKE_`. */

/** Every code with its names' common part and what it means. */
const CODES = {
  METRICS_CONFLICT: [-20, 'Metrics are enabled or disabled by the configuration file.'],
  TXN_ALREADY_ABORTED: [-19, 'The transaction is aborted and cannot be committed.'],
  TXN_ALREADY_COMMITTED: [-18, 'The transaction is committed and cannot be aborted.'],
  TXN_FAILED: [-17, 'Transaction failed.'],
  BATCH_FAILED: [-16, 'A row of the batch failed, or several did.'],
  NO_RESPONSE: [-15, 'The server has sent no reply.'],
  MAX_ERROR_RATE: [-14, 'The node failed too often and is left alone for a while.'],
  USE_NORMAL_RETRY: [-13, 'The retry goes to the same node as before.'],
  ERR_MAX_RETRIES_EXCEEDED: [-12, 'No retries are left.'],
  ERR_ASYNC_QUEUE_FULL: [-11, 'Too many commands wait in this client.'],
  ERR_CONNECTION: [-10, 'A connection failed.'],
  ERR_TLS_ERROR: [-9, 'Encryption failed.'],
  ERR_INVALID_NODE: [-8, 'There is no node for this command.'],
  ERR_NO_MORE_CONNECTIONS: [-7, 'The limit of connections does not allow another one.'],
  ERR_ASYNC_CONNECTION: [-6, 'A connection of the event loop failed.'],
  ERR_CLIENT_ABORT: [-5, 'The program has ended the command.'],
  ERR_INVALID_HOST: [-4, 'The name of the host has no address.'],
  NO_MORE_RECORDS: [-3, 'There are no more records in the reply.'],
  ERR_PARAM: [-2, 'An argument is invalid.'],
  ERR_CLIENT: [-1, 'The client failed.'],
  OK: [0, 'Success.'],
  ERR_SERVER: [1, 'The server failed.'],
  ERR_RECORD_NOT_FOUND: [2, 'The record does not exist.'],
  ERR_RECORD_GENERATION: [
    3,
    'The generation of the record is not the one that the policy demands.',
  ],
  ERR_REQUEST_INVALID: [4, 'The server finds the request invalid.'],
  ERR_RECORD_EXISTS: [5, 'The record exists.'],
  ERR_BIN_EXISTS: [6, 'The bin exists.'],
  ERR_CLUSTER_CHANGE: [7, 'The cluster changed during the command.'],
  ERR_SERVER_FULL: [8, 'The node has no memory or storage left for the namespace.'],
  ERR_TIMEOUT: [9, 'The command took longer than its time limit.'],
  ERR_ALWAYS_FORBIDDEN: [10, "The server's configuration does not allow this."],
  ERR_CLUSTER: [11, 'The partition is not available.'],
  ERR_BIN_INCOMPATIBLE_TYPE: [12, 'The operation does not fit the type of the bin.'],
  ERR_RECORD_TOO_BIG: [13, 'The record is larger than the namespace allows.'],
  ERR_RECORD_BUSY: [14, 'Too many commands are about the same record at once.'],
  ERR_SCAN_ABORTED: [15, 'The scan was aborted.'],
  ERR_UNSUPPORTED_FEATURE: [16, 'The server does not support this.'],
  ERR_BIN_NOT_FOUND: [17, 'The bin does not exist.'],
  ERR_DEVICE_OVERLOAD: [18, 'The storage of the node is too slow for so many writes.'],
  ERR_RECORD_KEY_MISMATCH: [19, 'The record is stored with another key.'],
  ERR_NAMESPACE_NOT_FOUND: [20, 'The cluster has no such namespace.'],
  ERR_BIN_NAME: [21, 'The name of a bin is too long, or the namespace has too many names.'],
  ERR_FAIL_FORBIDDEN: [22, 'The server does not allow this now.'],
  ERR_FAIL_ELEMENT_NOT_FOUND: [23, 'The element does not exist.'],
  ERR_FAIL_ELEMENT_EXISTS: [24, 'The element exists.'],
  ERR_ENTERPRISE_ONLY: [25, 'Only servers of the Enterprise Edition can do this.'],
  ERR_FAIL_ENTERPRISE_ONLY: [25, 'Only servers of the Enterprise Edition can do this.'],
  ERR_OP_NOT_APPLICABLE: [26, "The operation does not apply to the bin's value."],
  FILTERED_OUT: [27, 'The filter is not true for the record.'],
  LOST_CONFLICT: [28, 'A write of another data center is newer.'],
  XDR_KEY_BUSY: [32, 'The record is being shipped to another data center.'],
  QUERY_END: [50, 'The query has no more records.'],
  SECURITY_NOT_SUPPORTED: [51, 'The server has no users and roles.'],
  SECURITY_NOT_ENABLED: [52, 'Users and roles are disabled on the server.'],
  SECURITY_SCHEME_NOT_SUPPORTED: [53, 'The server does not support this way to log in.'],
  INVALID_COMMAND: [54, 'The administrative command is unknown.'],
  INVALID_FIELD: [55, 'A field of the administrative command is invalid.'],
  ILLEGAL_STATE: [56, 'The administrative command does not fit here.'],
  INVALID_USER: [60, 'There is no such user.'],
  USER_ALREADY_EXISTS: [61, 'The user exists.'],
  INVALID_PASSWORD: [62, 'The password is invalid.'],
  EXPIRED_PASSWORD: [63, 'The password is too old.'],
  FORBIDDEN_PASSWORD: [64, 'The password is not allowed.'],
  INVALID_CREDENTIAL: [65, 'User and password do not match.'],
  EXPIRED_SESSION: [66, 'The session of the login is over.'],
  INVALID_ROLE: [70, 'There is no such role.'],
  ROLE_ALREADY_EXISTS: [71, 'The role exists.'],
  INVALID_PRIVILEGE: [72, 'There is no such privilege.'],
  INVALID_WHITELIST: [73, 'The list of addresses is invalid.'],
  QUOTAS_NOT_ENABLED: [74, 'Quotas are disabled on the server.'],
  INVALID_QUOTA: [75, 'The quota is invalid.'],
  NOT_AUTHENTICATED: [80, 'The connection is not logged in.'],
  ROLE_VIOLATION: [81, 'The user lacks the role for this.'],
  NOT_WHITELISTED: [82, "The client's address is not in the list of the role."],
  QUOTA_EXCEEDED: [83, 'The quota of the role is used up.'],
  ERR_UDF: [100, 'A user-defined function failed.'],
  MRT_BLOCKED: [120, 'Another transaction holds the record.'],
  MRT_VERSION_MISMATCH: [121, 'A record has changed since the transaction read it.'],
  MRT_EXPIRED: [122, "The transaction's time is over."],
  MRT_TOO_MANY_WRITES: [123, 'The transaction has written too many records.'],
  MRT_COMMITTED: [124, 'The transaction is committed.'],
  MRT_ABORTED: [125, 'The transaction is aborted.'],
  MRT_ALREADY_LOCKED: [126, 'The transaction has written the record before.'],
  MRT_MONITOR_EXISTS: [127, 'The transaction is known to the server already.'],
  ERR_BATCH_DISABLED: [150, 'Batches are disabled on the server.'],
  ERR_BATCH_MAX_REQUESTS_EXCEEDED: [151, 'The batch has more rows than the server allows.'],
  ERR_BATCH_QUEUES_FULL: [152, 'Too many batches wait on the server.'],
  ERR_GEO_INVALID_GEOJSON: [160, 'The GeoJSON value is invalid.'],
  ERR_INDEX_FOUND: [200, 'The index exists.'],
  ERR_INDEX_NOT_FOUND: [201, 'The index does not exist.'],
  ERR_INDEX_OOM: [202, 'The server has no memory left for the index.'],
  ERR_INDEX_NOT_READABLE: [203, 'The index is not ready for queries.'],
  ERR_INDEX: [204, 'The command about an index failed.'],
  ERR_INDEX_NAME_MAXLEN: [205, 'The name of the index is too long.'],
  ERR_INDEX_MAXCOUNT: [206, 'There are too many indexes.'],
  ERR_QUERY_ABORTED: [210, 'The query was aborted.'],
  ERR_QUERY_QUEUE_FULL: [211, 'Too many queries wait on the server.'],
  ERR_QUERY_TIMEOUT: [212, "The query took longer than the server's limit."],
  ERR_QUERY: [213, 'The query failed.'],
  ERR_UDF_NOT_FOUND: [1301, 'There is no such function.'],
  ERR_LUA_FILE_NOT_FOUND: [1302, 'There is no such file of Lua functions.'],
} as const satisfies { [name: string]: readonly [code: number, message: string] }

type Name = keyof typeof CODES

const messages = new Map<number, string>()
for (const [code, message] of Object.values(CODES)) messages.set(code, message)

/** What a result code means. */
function getMessage(code: number): string {
  return messages.get(code) ?? `Unknown result code ${code}`
}

type Status = { readonly [N in Name]: (typeof CODES)[N][0] } & {
  readonly [N in `AEROSPIKE_${Name}`]: N extends `AEROSPIKE_${infer M extends Name}`
    ? (typeof CODES)[M][0]
    : never
} & { readonly getMessage: typeof getMessage }

const numbers: { [name: string]: number } = {}
for (const [name, [code]] of Object.entries(CODES)) {
  numbers[name] = code
  numbers[`AEROSPIKE_${name}`] = code
}

/** Result codes by name, such as `status.ERR_RECORD_NOT_FOUND`. */
export const status = Object.assign(numbers, { getMessage }) as unknown as Status
