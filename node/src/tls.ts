/** How connections are encrypted, of clients and of sessions with Cassandra. */

/**
 * How connections are encrypted, with the names of `tls.connect`. Certificates and keys are what files
 * in PEM format hold, as text or bytes.
 */
export interface TlsOptions {
  /** Authorities that are trusted. Default: those of the system. */
  ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** Whether those of the system are trusted, too. Default: only where there is no `ca`. */
  systemCa?: boolean | undefined
  /** The client's certificate, with those that lead to an authority; goes together with `key`. */
  cert?: string | Uint8Array | undefined
  /** Its private key, which is not encrypted. */
  key?: string | Uint8Array | undefined
  /** The name that the certificates of all nodes are for. Default: the name or address of each. */
  servername?: string | undefined
  /**
   * Whether a node's certificate has to be for its name or address. Without that, whoever has any
   * certificate of a trusted authority can pass for a node. Default: true.
   */
  verifyHostname?: boolean | undefined
  /** Certificates are verified in any case. */
  rejectUnauthorized?: true | undefined
}
