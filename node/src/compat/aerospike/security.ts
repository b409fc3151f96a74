/** The verbs about users and roles. */

import type {
  Privilege as NativePrivilege,
  Role as NativeRole,
} from '../../aerospike/admin/roles.js'
import type { User as NativeUser } from '../../aerospike/admin/users.js'
import { Privilege, Role, User } from './admin.js'
import { ClusterVerbs } from './cluster.js'
import { ArgumentKind, type Callback, checkCallback, checkOptional, runAsync } from './command.js'
import { privilegeCode } from './enums.js'
import { invalid } from './error.js'
import { infoTimeout } from './info-verbs.js'
import type { AdminPolicyOptions } from './policies.js'

type Policy = AdminPolicyOptions | null | undefined
/** A policy of a call, or its callback. */
type Or<T> = Policy | Callback<T>
/** The form of a verb with some arguments and a result. */
interface AdminVerb<A extends unknown[], T> {
  (...args: [...A, policy?: Policy]): Promise<T>
  (...args: [...A, callback: Callback<T>]): void
  (...args: [...A, policy: Policy, callback: Callback<T>]): void
}

const NAMES: { readonly [code: number]: string } = {
  [privilegeCode.USER_ADMIN]: 'user-admin',
  [privilegeCode.SYS_ADMIN]: 'sys-admin',
  [privilegeCode.DATA_ADMIN]: 'data-admin',
  [privilegeCode.UDF_ADMIN]: 'udf-admin',
  [privilegeCode.SINDEX_ADMIN]: 'sindex-admin',
  [privilegeCode.READ]: 'read',
  [privilegeCode.READ_WRITE]: 'read-write',
  [privilegeCode.READ_WRITE_UDF]: 'read-write-udf',
  [privilegeCode.WRITE]: 'write',
  [privilegeCode.TRUNCATE]: 'truncate',
}
const CODES = new Map(Object.entries(NAMES).map(([code, name]) => [name, Number(code)]))
/** Users who log in with a certificate have no password. */
const NO_PASSWORD = null

/** The verbs about users and roles. */
export abstract class SecurityVerbs extends ClusterVerbs {
  /** Changes a password: of the client's own user, or of another one. */
  declare readonly changePassword: AdminVerb<[user: string, password: string], void>
  /** Sets the password of a user. */
  declare readonly setPassword: AdminVerb<[user: string, password: string], void>
  /** Creates a user. */
  declare readonly createUser: AdminVerb<
    [user: string, password: string, roles?: readonly string[] | null],
    void
  >
  /** Creates a user who logs in with a certificate. */
  declare readonly createPKIUser: AdminVerb<[user: string, roles?: readonly string[] | null], void>
  /** Drops a user. */
  declare readonly dropUser: AdminVerb<[user: string], void>
  /** Gives a user more roles. */
  declare readonly grantRoles: AdminVerb<[user: string, roles: readonly string[]], void>
  /** Takes roles from a user. */
  declare readonly revokeRoles: AdminVerb<[user: string, roles: readonly string[]], void>
  /** A user. */
  declare readonly queryUser: AdminVerb<[user: string], User>
  /** All users. */
  declare readonly queryUsers: AdminVerb<[], User[]>
  /** Drops a role. */
  declare readonly dropRole: AdminVerb<[roleName: string], void>
  /** Gives a role more privileges. */
  declare readonly grantPrivileges: AdminVerb<
    [roleName: string, privileges: readonly Privilege[]],
    void
  >
  /** Takes privileges from a role. */
  declare readonly revokePrivileges: AdminVerb<
    [roleName: string, privileges: readonly Privilege[]],
    void
  >
  /** A role. */
  declare readonly queryRole: AdminVerb<[roleName: string], Role>
  /** All roles. */
  declare readonly queryRoles: AdminVerb<[], Role[]>
  /** Sets the quotas of a role. */
  declare readonly setQuotas: AdminVerb<
    [roleName: string, readQuota: number, writeQuota: number],
    void
  >
  /** Sets the addresses that users of a role may connect from; `null`: all. */
  declare readonly setWhitelist: AdminVerb<
    [roleName: string, whitelist: readonly string[] | null],
    void
  >

  /** Creates a role. */
  createRole(
    roleName: string,
    privileges: readonly Privilege[],
    policy?: Policy,
    whitelist?: readonly string[] | null,
    readQuota?: number | null,
    writeQuota?: number | null,
  ): Promise<void>
  createRole(
    roleName: string,
    privileges: readonly Privilege[],
    policy: Policy,
    whitelist: readonly string[] | null | undefined,
    readQuota: number | null | undefined,
    writeQuota: number | null | undefined,
    callback: Callback<void>,
  ): void
  createRole(
    roleName: string,
    privileges: readonly Privilege[],
    policy?: Policy,
    whitelist?: readonly string[] | null,
    readQuota?: number | null,
    writeQuota?: number | null,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    try {
      text('role')(roleName)
      list('privileges')(privileges)
      checkOptional(policy, 'Policy')
      list('whitelist', true)(whitelist)
      quota('read quota')(readQuota)
      quota('write quota')(writeQuota)
    } catch (error) {
      if (callback) throw error
      return Promise.reject(error)
    }
    return runAsync(this, 'RoleCreate', callback, async () =>
      this.native.roles.create(roleName, natives(privileges), {
        timeout: timeoutOf(this, policy),
        allow: whitelist ? names('Whitelist array', whitelist) : undefined,
        readQuota: readQuota ?? undefined,
        writeQuota: writeQuota ?? undefined,
      }),
    )
  }
}

type Verb = (
  client: SecurityVerbs,
  options: { timeout: number },
  ...args: never[]
) => Promise<unknown>

/** Verbs by name, with the number of their arguments before policy and callback. */
const VERBS: {
  readonly [name: string]: readonly [command: string, checks: readonly Check[], verb: Verb]
} = {
  changePassword: [
    'ChangePassword',
    [text('User name'), text('Password')],
    (client, options, user: string, password: string) =>
      user === client.config.user
        ? client.native.users.changePassword(password, options)
        : client.native.users.setPassword(user, password, options),
  ],
  setPassword: [
    'SetPassword',
    [text('User name'), text('Password')],
    (client, options, user: string, password: string) =>
      client.native.users.setPassword(user, password, options),
  ],
  createUser: [
    'UserCreate',
    [text('User name'), text('Password'), list('roles', true)],
    (client, options, user: string, password: string, roles?: string[] | null) =>
      client.native.users.create(user, password, names('Roles object', roles ?? []), options),
  ],
  createPKIUser: [
    'UserCreatePKI',
    [text('User name'), list('roles', true)],
    (client, options, user: string, roles?: string[] | null) =>
      client.native.users.create(user, NO_PASSWORD, names('Roles object', roles ?? []), options),
  ],
  dropUser: [
    'UserDrop',
    [text('User name')],
    (client, options, user: string) => client.native.users.drop(user, options),
  ],
  grantRoles: [
    'RoleGrant',
    [text('User name'), list('Roles')],
    (client, options, user: string, roles: string[]) =>
      client.native.users.grant(user, names('Roles object', roles), options),
  ],
  revokeRoles: [
    'RoleRevoke',
    [text('user name'), list('Roles')],
    (client, options, user: string, roles: string[]) =>
      client.native.users.revoke(user, names('Roles object', roles), options),
  ],
  queryUser: [
    'QueryUser',
    [text('User')],
    async (client, options, user: string) => userOf(await client.native.users.get(user, options)),
  ],
  queryUsers: [
    'QueryUsers',
    [],
    async (client, options) => (await client.native.users.list(options)).map(userOf),
  ],
  dropRole: [
    'RoleDrop',
    [text('role')],
    (client, options, name: string) => client.native.roles.drop(name, options),
  ],
  grantPrivileges: [
    'PrivilegeGrant',
    [text('Role'), list('Privileges')],
    (client, options, name: string, privileges: Privilege[]) =>
      client.native.roles.grant(name, natives(privileges), options),
  ],
  revokePrivileges: [
    'PrivilegeRevoke',
    [text('Role'), list('Privileges')],
    (client, options, name: string, privileges: Privilege[]) =>
      client.native.roles.revoke(name, natives(privileges), options),
  ],
  queryRole: [
    'QueryRole',
    [text('Role')],
    async (client, options, name: string) => roleOf(await client.native.roles.get(name, options)),
  ],
  queryRoles: [
    'QueryRoles',
    [],
    async (client, options) => (await client.native.roles.list(options)).map(roleOf),
  ],
  setQuotas: [
    'RoleSetQuotas',
    [text('Role'), quota('read quota'), quota('write quota')],
    (client, options, name: string, read: number, write: number) =>
      client.native.roles.setQuotas(name, { ...options, read, write }),
  ],
  setWhitelist: [
    'RoleSetWhitelist',
    [text('Role'), list('Whitelist', true)],
    (client, options, name: string, whitelist: string[] | null) =>
      client.native.roles.setAllowed(name, names('Whitelist array', whitelist ?? []), options),
  ],
}

for (const [name, [command, checks, verb]] of Object.entries(VERBS)) {
  const count = checks.length
  Object.defineProperty(SecurityVerbs.prototype, name, {
    value(this: SecurityVerbs, ...args: unknown[]) {
      // A callback may take the place of the policy, or of what may be left out before it.
      const at = args.findIndex((each) => typeof each === 'function')
      const callback = (at < 0 ? args[count + 1] : args[at]) as Callback<unknown> | undefined
      const own = (at < 0 ? args : args.slice(0, at)).slice(0, count)
      const policy = at < 0 || at > count ? (args[count] as Policy) : null
      checkCallback(callback)
      try {
        for (const [at, check] of checks.entries()) check(own[at])
        checkOptional(policy, 'Policy')
      } catch (error) {
        if (callback) throw error
        return Promise.reject(error)
      }
      return runAsync(this, command, callback, async () =>
        (verb as (...of: unknown[]) => Promise<unknown>)(
          this,
          { timeout: timeoutOf(this, policy) },
          ...own,
        ),
      )
    },
    configurable: true,
    writable: true,
  })
}

function timeoutOf(client: SecurityVerbs, policy: Or<never>): number {
  return infoTimeout(policy as Policy, client.config.policies.admin)
}

/** Throws for an argument of a wrong kind. */
type Check = (value: unknown) => void

function text(what: string): Check {
  return (value) => {
    if (typeof value !== 'string') throw new ArgumentKind(`${what} must be a string`)
  }
}

function quota(what: string): Check {
  return (value) => {
    if (value === undefined || value === null || typeof value === 'number') return
    throw new ArgumentKind(`${what} must be a number`)
  }
}

function list(what: string, isOptional = false): Check {
  return (value) => {
    if (Array.isArray(value) || (isOptional && (value === undefined || value === null))) return
    throw new ArgumentKind(`${what} must be an array`)
  }
}

/** Names in an array; fails with what is invalid. */
function names(what: string, value: readonly unknown[]): string[] {
  if (value.every((each) => typeof each === 'string')) return [...value]
  throw invalid(`${what} invalid`)
}

function natives(privileges: readonly Privilege[]): NativePrivilege[] {
  return privileges.map((each) => {
    const kind = NAMES[each?.code]
    if (kind === undefined) throw invalid('Privileges array invalid')
    return { kind, namespace: each.namespace || null, set: each.set || null }
  })
}

function userOf({ name, roles, readInfo, writeInfo, connections }: NativeUser): User {
  return new User({
    connsInUse: connections,
    name,
    readInfo: [...readInfo],
    writeInfo: [...writeInfo],
    roles: [...roles],
  })
}

function roleOf({ name, privileges, allow, readQuota, writeQuota }: NativeRole): Role {
  return new Role({
    name,
    readQuota,
    writeQuota,
    whitelist: [...allow],
    privileges: privileges.map(({ kind, namespace, set }) => {
      const code = CODES.get(kind) ?? Number(kind)
      return new Privilege(code, { namespace: namespace ?? '', set: set ?? '' })
    }),
  })
}
