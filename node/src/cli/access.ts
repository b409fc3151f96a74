/** Command line flags for users and TLS. */

import { readFileSync } from 'node:fs'
import { AUTHS, type Auth, type ClientOptions } from '../aerospike/client-options.js'
import type { TlsOptions } from '../options/tls.js'
import { type Flags, type Options, UsageError } from './arguments.js'

/** The environment variable for the password, which process lists do not show. */
export const PASSWORD = 'SPIKEWIRE_AEROSPIKE_PASSWORD'

/** The flags, with their help. */
export const ACCESS: Options = {
  user: { value: 'NAME', help: 'log in as this user' },
  password: {
    value: 'TEXT',
    help:
      `of the user; default: the variable ${PASSWORD}, which is safer: other users of the machine ` +
      'can see the arguments of a process',
  },
  auth: { value: AUTHS.join('|'), help: 'how the nodes know the user; default: internal' },
  tls: {
    help:
      "encrypt all connections and verify the nodes' certificates; implied by the other --tls- " +
      'options',
  },
  'tls-ca': {
    value: 'PATH',
    help: "PEM file of the authorities to trust; default: the system's",
  },
  'tls-certificate': { value: 'PATH', help: 'PEM file of a certificate to show to the nodes' },
  'tls-key': { value: 'PATH', help: 'PEM file of its private key' },
  'tls-name': {
    value: 'NAME',
    help:
      "the name in the nodes' certificates; default: the TLS name of a seed, or else its host name " +
      'or address',
  },
  'no-tls-verify-hostname': {
    help:
      'accept certificates for other names, too: anyone with any certificate of a trusted authority ' +
      'can then pose as a node',
  },
}

/** The client options for the given flags. Throws a `UsageError`. */
export function access(flags: Flags, environment: NodeJS.ProcessEnv = process.env): ClientOptions {
  const text = (name: string): string | undefined => flags.list(name)[0]
  const user = text('user')
  const auth = text('auth')
  if (user === undefined && text('password') !== undefined) {
    throw new UsageError('--password needs --user')
  }
  const password = text('password') ?? environment[PASSWORD]
  if (user !== undefined && password === undefined) {
    throw new UsageError(`--user ${user} needs --password, or the variable ${PASSWORD}`)
  }
  if (auth !== undefined && !(AUTHS as readonly string[]).includes(auth)) {
    throw new UsageError(`--auth must be one of ${AUTHS.join(', ')}, got ${auth}`)
  }
  const tls: TlsOptions = {
    ca: pem('tls-ca', text('tls-ca')),
    cert: pem('tls-certificate', text('tls-certificate')),
    key: pem('tls-key', text('tls-key')),
    servername: text('tls-name'),
    verifyHostname: text('no-tls-verify-hostname') === undefined ? undefined : false,
  }
  const detailed = Object.values(tls).some((entry) => entry !== undefined)
  return {
    user,
    password: user === undefined ? undefined : password,
    auth: auth as Auth | undefined,
    tls: detailed ? tls : text('tls') === undefined ? undefined : true,
  }
}

function pem(flag: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageError(`--${flag} ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}
