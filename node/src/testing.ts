/** Tests without a server: the embedded cluster. */

export {}
