/** TLS options of clients and of Cassandra sessions. */

/**
 * TLS options, named as in `tls.connect`. Certificates and keys are the contents of PEM files, as
 * text or bytes.
 */
export interface TlsOptions {
  /** Trusted certificate authorities. Default: the system's. */
  ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** Whether to trust the system's authorities, too. Default: only if there is no `ca`. */
  systemCa?: boolean | undefined
  /** The client's certificate and any intermediate certificates; requires `key`. */
  cert?: string | Uint8Array | undefined
  /** Its unencrypted private key. */
  key?: string | Uint8Array | undefined
  /** The name in the certificates of all nodes. Default: the name or address of each node. */
  servername?: string | undefined
  /**
   * Whether a node's certificate must be for its name or address. If not, anyone with any
   * certificate of a trusted authority can pose as a node. Default: true.
   */
  verifyHostname?: boolean | undefined
  /** For compatibility with `tls.connect`; certificates are always verified. */
  rejectUnauthorized?: true | undefined
}
