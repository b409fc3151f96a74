//! Certificates, keys and lists of revoked certificates in PEM format.

use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, SecretDocument};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, PrivatePkcs8KeyDer,
};
use spikewire_options::Secret;

use super::options::{Pem, TlsError};

/// The certificates in a file; at least one.
pub fn certificates(pem: &Pem, what: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read(pem, what)?;
    let list: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match list {
        Ok(list) if !list.is_empty() => Ok(list),
        Ok(_) => Err(TlsError(format!("there is no certificate in PEM format {}", named(pem)))),
        Err(error) => Err(TlsError(format!("the {what} {} cannot be read: {error}", named(pem)))),
    }
}

/// The private key in a file. If it is encrypted, the password restores it.
pub fn read_key(pem: &Pem, password: Option<&Secret>) -> Result<PrivateKeyDer<'static>, TlsError> {
    let bytes = read(pem, "private key")?;
    if let Some(text) = encrypted_block(&bytes) {
        let fail = |why| Err(TlsError(format!("the private key {} is encrypted{why}", named(pem))));
        return match password {
            None => fail(": it needs its password"),
            Some(password) => decrypt(text, password).or_else(fail),
        };
    }
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(key) if password.is_none() => Ok(key),
        Ok(_) => Err(TlsError(format!(
            "the private key {} is not encrypted, so it takes no password",
            named(pem)
        ))),
        Err(error) => {
            let is_old = bytes.windows(OLD.len()).any(|window| window == OLD);
            let why = if is_old {
                "it is encrypted in a format before PKCS #8; convert it with `openssl pkcs8 -topk8`"
                    .to_owned()
            } else {
                error.to_string()
            };
            Err(TlsError(format!("there is no private key in PEM format {}: {why}", named(pem))))
        }
    }
}

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// A header of keys that OpenSSL encrypted before PKCS #8.
const OLD: &[u8] = b"Proc-Type: 4,ENCRYPTED";

/// The block of an encrypted key, which may be among others.
fn encrypted_block(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let start = text.find(BEGIN)?;
    let len = text[start..].find(END)? + END.len();
    Some(&text[start..start + len])
}

/// The key in this block, or why there is none.
fn decrypt(block: &str, password: &Secret) -> Result<PrivateKeyDer<'static>, &'static str> {
    let read = SecretDocument::from_pem(block);
    let (_, document) = read.map_err(|_| ", and cannot be read: it is damaged")?;
    let key = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes());
    let key = key.map_err(|_| {
        ", and cannot be read: it is damaged, or its encryption is unknown (PBES2 is supported)"
    })?;
    let wrong = |_| ", and the password is wrong";
    let plain = key.decrypt(password.reveal()).map_err(wrong)?;
    // Of wrong passwords, some leave something that only looks restored.
    PrivateKeyInfoRef::try_from(plain.as_bytes()).map_err(wrong)?;
    Ok(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(plain.as_bytes().to_vec())))
}

/// The lists of revoked certificates in these files; each has at least one.
pub fn revocation_lists(
    pems: &[Pem],
) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsError> {
    let mut all = Vec::new();
    for pem in pems {
        let bytes = read(pem, "list of revoked certificates")?;
        let list: Result<Vec<_>, _> =
            CertificateRevocationListDer::pem_slice_iter(&bytes).collect();
        let list = list.map_err(|error| {
            TlsError(format!(
                "the list of revoked certificates {} cannot be read: {error}",
                named(pem)
            ))
        })?;
        if list.is_empty() {
            let named = named(pem);
            let why = format!("there is no list of revoked certificates in PEM format {named}");
            return Err(TlsError(why));
        }
        all.extend(list);
    }
    Ok(all)
}

fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, TlsError> {
    match pem {
        Pem::Bytes(bytes) => Ok(bytes.clone()),
        Pem::File(path) => std::fs::read(path).map_err(|error| {
            TlsError(format!("the {what} cannot be read from {}: {error}", path.display()))
        }),
    }
}

/// Where that is, for messages.
pub fn named(pem: &Pem) -> String {
    match pem {
        Pem::File(path) => format!("in {}", path.display()),
        Pem::Bytes(_) => "in the bytes given".to_owned(),
    }
}
