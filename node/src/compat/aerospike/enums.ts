/** The numbers of constants. */

/** How a write checks the generation of a record. */
export type gen = (typeof gen)[keyof typeof gen]
/** How a write checks the generation of a record. */
export const gen = Object.freeze({ IGNORE: 0, EQ: 1, GT: 2 })
/** Whether the user key is stored with a record. */
export type key = (typeof key)[keyof typeof key]
/** Whether the user key is stored with a record. */
export const key = Object.freeze({ DIGEST: 0, SEND: 1 })
/** What a write does if the record exists, or does not. */
export type exists = (typeof exists)[keyof typeof exists]
/** What a write does if the record exists, or does not. */
export const exists = Object.freeze({
  IGNORE: 0,
  CREATE: 1,
  UPDATE: 2,
  REPLACE: 3,
  CREATE_OR_REPLACE: 4,
})
/** Which replicas commands go to. */
export type replica = (typeof replica)[keyof typeof replica]
/** Which replicas commands go to. */
export const replica = Object.freeze({ MASTER: 0, ANY: 1, SEQUENCE: 2, PREFER_RACK: 3, RANDOM: 4 })
/** How many replicas a read asks in a namespace that is available rather than consistent. */
export type readModeAP = (typeof readModeAP)[keyof typeof readModeAP]
/** How many replicas a read asks in a namespace that is available rather than consistent. */
export const readModeAP = Object.freeze({ ONE: 0, ALL: 1 })
/** The consistency of a read in a strongly consistent namespace. */
export type readModeSC = (typeof readModeSC)[keyof typeof readModeSC]
/** The consistency of a read in a strongly consistent namespace. */
export const readModeSC = Object.freeze({
  SESSION: 0,
  LINEARIZE: 1,
  ALLOW_REPLICA: 2,
  ALLOW_UNAVAILABLE: 3,
})
/** When a write is answered. */
export type commitLevel = (typeof commitLevel)[keyof typeof commitLevel]
/** When a write is answered. */
export const commitLevel = Object.freeze({ ALL: 0, MASTER: 1 })
/** How long a query is expected to take. */
export type queryDuration = (typeof queryDuration)[keyof typeof queryDuration]
/** How long a query is expected to take. */
export const queryDuration = Object.freeze({ LONG: 0, SHORT: 1, LONG_RELAX_AP: 2 })
/** Where users are managed. */
export type auth = (typeof auth)[keyof typeof auth]
/** Where users are managed. */
export const auth = Object.freeze({ INTERNAL: 0, EXTERNAL: 1, EXTERNAL_INSECURE: 2, AUTH_PKI: 3 })
/** Languages of user-defined functions. */
export type language = (typeof language)[keyof typeof language]
/** Languages of user-defined functions. */
export const language = Object.freeze({ LUA: 0 })
/** Log levels. */
export type log = (typeof log)[keyof typeof log]
/** Log levels. */
export const log = Object.freeze({
  OFF: -1,
  ERROR: 0,
  WARN: 1,
  INFO: 2,
  DEBUG: 3,
  TRACE: 4,
  DETAIL: 4,
})
/** Special times to live. */
export type ttl = (typeof ttl)[keyof typeof ttl]
/** Special times to live. */
export const ttl = Object.freeze({
  NAMESPACE_DEFAULT: 0,
  NEVER_EXPIRE: -1,
  DONT_UPDATE: -2,
  CLIENT_DEFAULT: -3,
})
/** How far a background job has come. */
export type jobStatus = (typeof jobStatus)[keyof typeof jobStatus]
/** How far a background job has come. */
export const jobStatus = Object.freeze({ UNDEF: 0, INPROGRESS: 1, COMPLETED: 2 })
/** Types of indexed values. */
export type indexDataType = (typeof indexDataType)[keyof typeof indexDataType]
/** Types of indexed values. */
export const indexDataType = Object.freeze({
  STRING: 0,
  NUMERIC: 1,
  GEO2DSPHERE: 2,
  BLOB: 3,
  INTEGER: 4,
  DEFAULT: 0,
})
/** What of a bin is indexed. */
export type indexType = (typeof indexType)[keyof typeof indexType]
/** What of a bin is indexed. */
export const indexType = Object.freeze({ DEFAULT: 0, LIST: 1, MAPKEYS: 2, MAPVALUES: 3, SET: 4 })
/** Kinds of rows of a batch. */
export type batchType = (typeof batchType)[keyof typeof batchType]
/** Kinds of rows of a batch. */
export const batchType = Object.freeze({
  BATCH_READ: 0,
  BATCH_WRITE: 1,
  BATCH_APPLY: 2,
  BATCH_REMOVE: 3,
})
/** How a commit ended. */
export type commitStatus = (typeof commitStatus)[keyof typeof commitStatus]
/** How a commit ended. */
export const commitStatus = Object.freeze({
  OK: 0,
  ALREADY_COMMITTED: 1,
  VERIFY_FAILED: 3,
  MARK_ROLL_FORWARD_ABANDONED: 4,
  ROLL_FORWARD_ABANDONED: 5,
  CLOSE_ABANDONED: 6,
})
/** How an abort ended. */
export type abortStatus = (typeof abortStatus)[keyof typeof abortStatus]
/** How an abort ended. */
export const abortStatus = Object.freeze({
  OK: 0,
  ALREADY_ABORTED: 1,
  ROLL_BACK_ABANDONED: 3,
  CLOSE_ABANDONED: 4,
})
/** Privileges of roles. */
export type privilegeCode = (typeof privilegeCode)[keyof typeof privilegeCode]
/** Privileges of roles. */
export const privilegeCode = Object.freeze({
  USER_ADMIN: 0,
  SYS_ADMIN: 1,
  DATA_ADMIN: 2,
  UDF_ADMIN: 3,
  SINDEX_ADMIN: 4,
  READ: 10,
  READ_WRITE: 11,
  READ_WRITE_UDF: 12,
  WRITE: 13,
  TRUNCATE: 14,
})
/** Names of features of servers. */
export type features = (typeof features)[keyof typeof features]
/** Names of features of servers. */
export const features = Object.freeze({
  CDT_MAP: 'cdt-map',
  CDT_LIST: 'cdt-list',
  BLOB_BITS: 'blob-bits',
})
