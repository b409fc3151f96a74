//! TLS error messages that say where to look.

use std::io;

use rustls::{AlertDescription, CertificateError, Error};

/// Converts an error of the session.
pub fn from_session(error: &Error) -> io::Error {
    let hint = match error {
        Error::InvalidMessage(_) => {
            "what the server sends is not TLS; does it expect plain connections?"
        }
        Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => "no authority that the client trusts has signed the server's certificate",
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "the server's certificate is for another name",
        Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => "the server's certificate has expired",
        Error::InvalidCertificate(CertificateError::Revoked) => {
            "the server's certificate, or one that signed it, was revoked"
        }
        Error::InvalidCertificate(
            CertificateError::ExpiredRevocationList
            | CertificateError::ExpiredRevocationListContext { .. },
        ) => "the list of revoked certificates has expired; get a newer one",
        Error::InvalidCertificate(CertificateError::UnknownRevocationStatus) => {
            "no list of revoked certificates covers the server's certificate, or one that signed it"
        }
        Error::InvalidCertificate(_) => "the server's certificate is not valid",
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server demands a client certificate"
        }
        Error::AlertReceived(
            AlertDescription::HandshakeFailure
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::DecryptError,
        ) => "the server rejected the connection; it may demand another client certificate",
        _ => return io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {error}")),
    };
    io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {hint} ({error})"))
}

/// The server closed the connection during the handshake.
pub fn hung_up() -> io::Error {
    let why = "the server closed the connection during the TLS handshake; does it speak TLS here?";
    io::Error::new(io::ErrorKind::UnexpectedEof, why)
}
