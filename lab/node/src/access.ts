/** How a client authenticates: user and TLS, in the lab's format. None of it is saved or shown. */

import { readFileSync } from 'node:fs'
import type { Auth, ClientOptions } from 'spikewire'

/** User and TLS settings; settings that were not given are empty. */
export interface Access {
  user: string
  password: string
  auth: Auth | ''
  tls?: Encryption
}

/** Paths of PEM files. */
export interface Encryption {
  /** The authorities to trust, instead of the system's. */
  ca: string
  certificate: string
  key: string
  /** The name in each seed's certificate; empty: its host. */
  names: string[]
}

/** Seeds in the form this package takes. */
export function seedTexts(seeds: readonly [string, number][], access?: Access): string[] {
  return seeds.map(([host, port], at) => {
    const where = host.includes(':') ? `[${host}]` : host
    const name = access?.tls?.names[at]
    return name ? `${where}:${name}:${port}` : `${where}:${port}`
  })
}

/** The options of this package's client. */
export function spikewireOptions(access?: Access): ClientOptions {
  if (access === undefined) return {}
  const { user, password, auth, tls } = access
  return {
    ...(user === '' ? {} : { user, password }),
    ...(auth === '' ? {} : { auth }),
    ...(tls === undefined ? {} : { tls: files(tls) }),
  }
}

function files({ ca, certificate, key }: Encryption) {
  const pem = (path: string) => readFileSync(path, 'utf8')
  return {
    ...(ca === '' ? {} : { ca: pem(ca) }),
    ...(certificate === '' ? {} : { cert: pem(certificate), key: pem(key) }),
  }
}

const AUTH_NAMES: Readonly<Record<Auth, string>> = {
  internal: 'INTERNAL',
  external: 'EXTERNAL',
  'external-insecure': 'EXTERNAL_INSECURE',
  pki: 'AUTH_PKI',
}

/** The configuration for npm `aerospike`; `modes` are its constants for authentication modes. */
export function aerospikeConfig(
  seeds: readonly [string, number][],
  access: Access | undefined,
  modes: Readonly<Record<string, number>>,
): object {
  const { user = '', password = '', auth = '', tls } = access ?? {}
  const hosts = seeds.map(([addr, port], at) =>
    tls === undefined ? { addr, port } : { addr, port, tlsname: tls.names[at] || addr },
  )
  const files = { cafile: tls?.ca, certfile: tls?.certificate, keyfile: tls?.key }
  const paths = Object.fromEntries(Object.entries(files).filter(([, path]) => path))
  return {
    hosts,
    ...(user === '' ? {} : { user, password }),
    ...(auth === '' ? {} : { authMode: modes[AUTH_NAMES[auth]] }),
    ...(tls === undefined ? {} : { tls: { enable: true, ...paths } }),
  }
}

/** Shown instead of a password. */
const HIDDEN = '***'

/** A command line without passwords, for saved files. */
export function withoutSecrets(commandLine: readonly string[]): string[] {
  return commandLine.map((word, at) => {
    if (commandLine[at - 1] === '--password') return HIDDEN
    return word.startsWith('--password=') ? `--password=${HIDDEN}` : word
  })
}

/** An answer without the password, which a client's error message might contain. */
export function withoutPassword<A extends object>(answer: A, access?: Access): A {
  const password = access?.password
  if (!password) return answer
  const fields = Object.entries(answer).map(([name, value]) => {
    const text = (name === 'failed' || name === 'first_error') && typeof value === 'string'
    return [name, text ? value.replaceAll(password, HIDDEN) : value]
  })
  return Object.fromEntries(fields) as A
}
