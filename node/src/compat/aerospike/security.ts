/** The verbs about users and roles. */

import type {
  Privilege as NativePrivilege,
  Role as NativeRole,
} from '../../aerospike/admin/roles.js'
import type { User as NativeUser } from '../../aerospike/admin/users.js'
import { Privilege, Role, User } from './admin.js'
import { ClusterVerbs } from './cluster.js'
import { type Callback, runAsync } from './command.js'
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
    return runAsync(this, 'RoleCreate', callback, () =>
      this.native.roles.create(roleName, natives(privileges), {
        timeout: timeoutOf(this, policy),
        allow: whitelist ?? undefined,
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
const VERBS: { readonly [name: string]: readonly [command: string, args: number, verb: Verb] } = {
  changePassword: [
    'ChangePassword',
    2,
    (client, options, user: string, password: string) =>
      user === client.config.user
        ? client.native.users.changePassword(password, options)
        : client.native.users.setPassword(user, password, options),
  ],
  setPassword: [
    'SetPassword',
    2,
    (client, options, user: string, password: string) =>
      client.native.users.setPassword(user, password, options),
  ],
  createUser: [
    'UserCreate',
    3,
    (client, options, user: string, password: string, roles?: string[] | null) =>
      client.native.users.create(user, text('password', password), roles ?? [], options),
  ],
  createPKIUser: [
    'UserCreatePKI',
    2,
    (client, options, user: string, roles?: string[] | null) =>
      client.native.users.create(user, NO_PASSWORD, roles ?? [], options),
  ],
  dropUser: [
    'UserDrop',
    1,
    (client, options, user: string) => client.native.users.drop(user, options),
  ],
  grantRoles: [
    'RoleGrant',
    2,
    (client, options, user: string, roles: string[]) =>
      client.native.users.grant(user, list('roles', roles), options),
  ],
  revokeRoles: [
    'RoleRevoke',
    2,
    (client, options, user: string, roles: string[]) =>
      client.native.users.revoke(user, list('roles', roles), options),
  ],
  queryUser: [
    'QueryUser',
    1,
    async (client, options, user: string) => userOf(await client.native.users.get(user, options)),
  ],
  queryUsers: [
    'QueryUsers',
    0,
    async (client, options) => (await client.native.users.list(options)).map(userOf),
  ],
  dropRole: [
    'RoleDrop',
    1,
    (client, options, name: string) => client.native.roles.drop(name, options),
  ],
  grantPrivileges: [
    'PrivilegeGrant',
    2,
    (client, options, name: string, privileges: Privilege[]) =>
      client.native.roles.grant(name, natives(privileges), options),
  ],
  revokePrivileges: [
    'PrivilegeRevoke',
    2,
    (client, options, name: string, privileges: Privilege[]) =>
      client.native.roles.revoke(name, natives(privileges), options),
  ],
  queryRole: [
    'QueryRole',
    1,
    async (client, options, name: string) => roleOf(await client.native.roles.get(name, options)),
  ],
  queryRoles: [
    'QueryRoles',
    0,
    async (client, options) => (await client.native.roles.list(options)).map(roleOf),
  ],
  setQuotas: [
    'RoleSetQuotas',
    3,
    (client, options, name: string, read: number, write: number) =>
      client.native.roles.setQuotas(name, { ...options, read, write }),
  ],
  setWhitelist: [
    'RoleSetWhitelist',
    2,
    (client, options, name: string, whitelist: string[] | null) =>
      client.native.roles.setAllowed(name, whitelist ?? [], options),
  ],
}

for (const [name, [command, count, verb]] of Object.entries(VERBS)) {
  Object.defineProperty(SecurityVerbs.prototype, name, {
    value(this: SecurityVerbs, ...args: unknown[]) {
      // A callback may take the place of the policy, or of what may be left out before it.
      const at = args.findIndex((each) => typeof each === 'function')
      const callback = (at < 0 ? args[count + 1] : args[at]) as Callback<unknown> | undefined
      const own = (at < 0 ? args : args.slice(0, at)).slice(0, count)
      const policy = at < 0 || at > count ? (args[count] as Policy) : null
      return runAsync(this, command, callback, () =>
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

function text(what: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`${what} must be a string`)
  return value
}

function list(what: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw invalid(`${what} must be an array`)
  return value
}

function natives(privileges: readonly Privilege[]): NativePrivilege[] {
  return list('privileges', privileges).map((each) => {
    const { code, namespace, set } = each as unknown as Privilege
    const kind = NAMES[code]
    if (kind === undefined) throw invalid(`Invalid privilege code: ${code}`)
    return { kind, namespace: namespace || null, set: set || null }
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
