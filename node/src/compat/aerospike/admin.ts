/** Users, roles and privileges: the namespace `admin`. */

/** What a role permits, and where. */
export class Privilege {
  /** One of `privilegeCode`. */
  code: number
  /** Empty: global. */
  namespace: string
  /** Empty: the whole namespace. */
  set: string

  constructor(
    code: number,
    options?: { namespace?: string | undefined; set?: string | undefined } | null,
  ) {
    this.code = code
    this.namespace = options?.namespace || ''
    this.set = options?.set || ''
  }
}

/** A role. */
export class Role {
  name: string
  /** Records that a user may read per second; 0: no limit. */
  readQuota: number
  /** Records that a user may write per second; 0: no limit. */
  writeQuota: number
  /** The addresses that users may connect from; none: all. */
  whitelist: string[]
  privileges: Privilege[]

  constructor(options: {
    name: string
    readQuota: number
    writeQuota: number
    whitelist: string[]
    privileges: Privilege[]
  }) {
    this.name = options.name
    this.readQuota = options.readQuota
    this.writeQuota = options.writeQuota
    this.whitelist = options.whitelist
    this.privileges = options.privileges
  }
}

/** A user. */
export class User {
  /** Open connections to the node that answered. */
  connsInUse: number
  name: string
  /** Statistics of reads: quota, records per second, queries per second, queries without a limit. */
  readInfo: number[]
  /** The same for writes. */
  writeInfo: number[]
  /** The names of its roles. */
  roles: string[]

  constructor(options: {
    connsInUse: number
    name: string
    readInfo: number[]
    writeInfo: number[]
    roles: string[]
  }) {
    this.connsInUse = options.connsInUse
    this.name = options.name
    this.readInfo = options.readInfo
    this.writeInfo = options.writeInfo
    this.roles = options.roles
  }
}
