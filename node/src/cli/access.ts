/** Flags of commands that open clients: who logs in, and TLS. */

import { readFileSync } from 'node:fs'
import { AUTHS, type Auth, type ClientOptions } from '../connecting.js'
import type { TlsOptions } from '../tls.js'
import { type Given, type Options, UsageError } from './arguments.js'

/** The variable that holds the password: no list of processes shows it. */
export const PASSWORD = 'SPIKEWIRE_AEROSPIKE_PASSWORD'

/** The flags. */
export const ACCESS: Options = {
  user: { value: 'NAME', help: 'log in as this user' },
  password: {
    value: 'TEXT',
    help:
      `of the user; without the flag it is that of the variable ${PASSWORD}: other users of the ` +
      'machine see the texts of flags',
  },
  auth: { value: AUTHS.join('|'), help: 'how the nodes know the user; internal unless given' },
  tls: {
    help:
      "encrypt all connections, and verify the nodes' certificates; what begins with --tls- asks " +
      'for it, too',
  },
  'tls-ca': {
    value: 'PATH',
    help: "PEM file of the authorities to trust; the system's unless given",
  },
  'tls-certificate': { value: 'PATH', help: 'PEM file of a certificate to show to the nodes' },
  'tls-key': { value: 'PATH', help: 'PEM file of its private key' },
  'tls-name': {
    value: 'NAME',
    help:
      "the name in the nodes' certificates; unless given, the TLS name of a seed, or else its host " +
      'name or address',
  },
  'no-tls-verify-hostname': {
    help:
      'take certificates for other names, too: whoever has any certificate of a trusted authority ' +
      'can pass for a node',
  },
}

/** What the flags say, as options of a client. Throws a `UsageError`. */
export function access(given: Given, environment: NodeJS.ProcessEnv = process.env): ClientOptions {
  const text = (name: string): string | undefined => given.list(name)[0]
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
