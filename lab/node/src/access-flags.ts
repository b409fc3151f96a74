/** The flags for users and TLS: parsing and validation. */

import { existsSync } from 'node:fs'
import type { Auth } from 'spikewire'
import type { Access } from './access.js'

/** The environment variable for the password, which process lists do not show. */
export const PASSWORD = 'SPIKEWIRE_AEROSPIKE_PASSWORD'
/** The authentication modes. */
export const AUTHS: readonly Auth[] = ['internal', 'external', 'external-insecure', 'pki']

/** The values given on the command line. */
export interface AccessFlags {
  user?: string | undefined
  password?: string | undefined
  auth?: string | undefined
  tls?: boolean | undefined
  'tls-ca'?: string | undefined
  'tls-certificate'?: string | undefined
  'tls-key'?: string | undefined
  'tls-name'?: string | undefined
}

const FILES = ['tls-ca', 'tls-certificate', 'tls-key'] as const

/**
 * Parses the flags; `undefined` if none is given. `names` are the TLS names of the seeds,
 * `undefined` for the embedded cluster. Throws for invalid combinations.
 */
export function parseAccess(flags: AccessFlags, names?: string[]): Access | undefined {
  const { user = '', 'tls-name': usual } = flags
  const password = flags.password ?? process.env[PASSWORD] ?? ''
  const auth = authOf(flags)
  for (const flag of FILES) {
    const path = flags[flag]
    if (path !== undefined && !existsSync(path)) {
      throw new RangeError(`--${flag} ${path}: no such file`)
    }
  }
  if ((flags['tls-certificate'] === undefined) !== (flags['tls-key'] === undefined)) {
    throw new RangeError('--tls-certificate and --tls-key go together')
  }
  const encrypted = flags.tls === true || [...FILES, 'tls-name' as const].some((it) => flags[it])
  if (flags.user === undefined && flags.password !== undefined) {
    throw new RangeError('--password needs --user')
  }
  if (auth === 'pki') {
    if (user !== '')
      throw new RangeError('--auth pki takes no --user: the certificate names the user')
    if (!flags['tls-certificate']) throw new RangeError('--auth pki needs --tls-certificate')
  } else if (auth !== '' && user === '') {
    throw new RangeError(`--auth ${auth} needs --user`)
  }
  if (user !== '' && password === '') {
    throw new RangeError(`--user ${user} needs --password, or the variable ${PASSWORD}`)
  }
  if (auth === 'external' && !encrypted) {
    throw new RangeError('--auth external sends the password in clear text: it needs --tls')
  }
  const named = names?.find((name) => name !== '')
  if (named !== undefined && !encrypted) {
    throw new RangeError(`-H has the TLS name ${named}: it needs --tls`)
  }
  if (names === undefined) rejectEmbeddedFlags(flags, auth)
  if (auth === '' && !encrypted) return undefined
  const access: Access = { user, password: user === '' ? '' : password, auth }
  if (!encrypted) return access
  return {
    ...access,
    tls: {
      ca: flags['tls-ca'] ?? '',
      certificate: flags['tls-certificate'] ?? '',
      key: flags['tls-key'] ?? '',
      names: (names ?? []).map((name) => name || (usual ?? '')),
    },
  }
}

function authOf({ user, auth }: AccessFlags): Auth | '' {
  if (auth === undefined) return user === undefined ? '' : 'internal'
  const known = AUTHS.find((name) => name === auth)
  if (known === undefined) throw new RangeError(`--auth: '${auth}' is none of ${AUTHS.join(', ')}`)
  return known
}

function rejectEmbeddedFlags(flags: AccessFlags, auth: string): void {
  const own = [...FILES, 'tls-name' as const].find((flag) => flags[flag] !== undefined)
  if (own !== undefined) {
    throw new RangeError(
      `--${own} is for a cluster given by -H: the embedded one has its own certificates`,
    )
  }
  if (auth === 'pki') {
    throw new RangeError('--auth pki is for a cluster given by -H: the embedded one has passwords')
  }
}
