//! Security frames: logging in, and authenticating each connection with the session token. Those that
//! manage users and roles are in [`manage`](crate::manage).
//!
//! A body is 16 bytes (`scheme = 0`, `result`, `command`, field count, 12 zero bytes), then fields
//! as in a message: `length u32` (with the id), `id u8`, data. Replies have the same shape with
//! `command = 0`. Passwords travel as bcrypt with one fixed salt, which makes the hash equivalent
//! to the password: without TLS anyone on the network path can use it.

use std::fmt;

use crate::Malformed;
use crate::frame::{self, Kind};
use crate::message::{self, Field};
use crate::result_code::ResultCode;

/// Bytes in front of the fields.
pub const HEADER_LEN: usize = 16;
/// Length of a password hash on the wire.
pub const HASH_LEN: usize = 60;

/// Commands.
pub mod command {
    /// Authenticates a new connection with a session token.
    pub const AUTHENTICATE: u8 = 0;
    /// Exchanges a password for a session token.
    pub const LOGIN: u8 = 20;
}

/// Field ids.
pub mod field {
    /// User name.
    pub const USER: u8 = 0;
    /// Password hash.
    pub const CREDENTIAL: u8 = 3;
    /// Plaintext password for external authentication; only sent over TLS.
    pub const CLEAR_PASSWORD: u8 = 4;
    /// Session token.
    pub const SESSION_TOKEN: u8 = 5;
    /// Lifetime of the token in seconds, u32.
    pub const SESSION_TTL: u8 = 6;
}

/// `7EqJtq98hPqEX7fNZaFWoO` in bcrypt's own base64.
#[cfg(feature = "login")]
const SALT: [u8; 16] = [
    0xf4, 0x6b, 0x0b, 0xbe, 0xcf, 0xfe, 0x8d, 0x1b, 0x06, 0x67, 0xd8, 0x4f, 0x6d, 0xc1, 0xd8, 0xa9,
];
#[cfg(feature = "login")]
const COST: u32 = 10;

/// The hash that means "no password", which is that of `nopassword`: a user created with it can log
/// in only with a certificate.
pub const NO_PASSWORD: &str = "$2a$10$7EqJtq98hPqEX7fNZaFWoOePA2sZy..tlOF99W2N0g5KZ3dLaw8WO";

const NO_FIELDS: &[(u8, &[u8])] = &[];

/// Hashes a password to the 60 characters that are sent. Deliberately takes about 50 ms of CPU
/// time: call it once, not per connection. Only the first 72 bytes of a password count.
#[cfg(feature = "login")]
pub fn hash_password(password: &str) -> String {
    bcrypt::hash_with_salt(password, COST, SALT)
        .map(|parts| parts.format_for_version(bcrypt::Version::TwoA))
        .expect("the cost is within bcrypt's limits")
}

/// A security request from a client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// Exchanges a password for a session token.
    Login {
        /// User name.
        user: &'a str,
        /// From [`hash_password`].
        credential: &'a [u8],
        /// Plaintext password for external authentication; only sent over TLS.
        clear_password: Option<&'a [u8]>,
    },
    /// Authenticates a new connection with a session token, before any other request.
    Authenticate {
        /// User name.
        user: &'a str,
        /// The token obtained with [`Request::Login`].
        token: &'a [u8],
    },
    /// [`Request::Login`] for a user named by the client's certificate.
    CertificateLogin,
    /// [`Request::Authenticate`] for a user named by the client's certificate.
    CertificateAuthenticate {
        /// The token obtained with [`Request::CertificateLogin`].
        token: &'a [u8],
    },
}

/// Prints the command and the user, but no secret.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, user) = match self {
            Self::Login { user, .. } => ("Login", user),
            Self::Authenticate { user, .. } => ("Authenticate", user),
            Self::CertificateLogin => return f.write_str("CertificateLogin"),
            Self::CertificateAuthenticate { .. } => {
                return f.debug_struct("CertificateAuthenticate").finish_non_exhaustive();
            }
        };
        f.debug_struct(name).field("user", user).finish_non_exhaustive()
    }
}

impl<'a> Request<'a> {
    /// Appends a whole frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Login { user, credential, clear_password } => {
                let mut fields =
                    vec![(field::USER, user.as_bytes()), (field::CREDENTIAL, credential)];
                fields.extend(clear_password.map(|password| (field::CLEAR_PASSWORD, password)));
                write(out, ResultCode::OK, command::LOGIN, &fields);
            }
            Self::Authenticate { user, token } => {
                let fields = [(field::USER, user.as_bytes()), (field::SESSION_TOKEN, token)];
                write(out, ResultCode::OK, command::AUTHENTICATE, &fields);
            }
            Self::CertificateLogin => write(out, ResultCode::OK, command::LOGIN, NO_FIELDS),
            Self::CertificateAuthenticate { token } => {
                let fields = [(field::SESSION_TOKEN, token)];
                write(out, ResultCode::OK, command::AUTHENTICATE, &fields);
            }
        }
    }

    /// Reads the body of a security frame.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let missing = |why| Malformed::new("security request", why);
        let (_, command, fields) = read(body)?;
        let user = || {
            let name = find(&fields, field::USER).ok_or(missing("no user name"))?;
            std::str::from_utf8(name).map_err(|_| missing("user name is not valid UTF-8"))
        };
        let named = find(&fields, field::USER).is_some();
        match command {
            command::LOGIN if fields.is_empty() => Ok(Self::CertificateLogin),
            command::AUTHENTICATE if !named => Ok(Self::CertificateAuthenticate {
                token: find(&fields, field::SESSION_TOKEN).ok_or(missing("no session token"))?,
            }),
            command::LOGIN => Ok(Self::Login {
                user: user()?,
                credential: find(&fields, field::CREDENTIAL).ok_or(missing("no credential"))?,
                clear_password: find(&fields, field::CLEAR_PASSWORD),
            }),
            command::AUTHENTICATE => Ok(Self::Authenticate {
                user: user()?,
                token: find(&fields, field::SESSION_TOKEN).ok_or(missing("no session token"))?,
            }),
            _ => Err(missing("neither login nor authenticate")),
        }
    }
}

/// A session that a login opened.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The token for [`Request::Authenticate`]; opaque to clients.
    pub token: Vec<u8>,
    /// Lifetime of the token in seconds, if the server reports it.
    pub ttl: Option<u32>,
}

/// Prints the lifetime of the token, not the token.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}

/// A server's reply to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The result. 51 and 52 mean that the server does not support security, or has it disabled.
    pub result: ResultCode,
    /// The session that a login opened.
    pub session: Option<Session>,
}

impl Reply {
    /// Appends a whole frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let ttl = self.session.as_ref().and_then(|session| session.ttl).map(u32::to_be_bytes);
        let mut fields: Vec<(u8, &[u8])> = Vec::new();
        if let Some(session) = &self.session {
            fields.push((field::SESSION_TOKEN, &session.token));
        }
        if let Some(ttl) = &ttl {
            fields.push((field::SESSION_TTL, ttl));
        }
        write(out, self.result, 0, &fields);
    }

    /// Reads the body of a security frame.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let (result, _, fields) = read(body)?;
        let ttl = find(&fields, field::SESSION_TTL)
            .map(|data| {
                let bytes = data.try_into();
                bytes.map_err(|_| Malformed::new("security reply", "session TTL is not 4 bytes"))
            })
            .transpose()?
            .map(u32::from_be_bytes);
        let session =
            find(&fields, field::SESSION_TOKEN).map(|token| Session { token: token.to_vec(), ttl });
        Ok(Self { result, session })
    }
}

/// Appends a frame of one entry.
pub(crate) fn write(
    out: &mut Vec<u8>,
    result: ResultCode,
    command: u8,
    fields: &[(u8, impl AsRef<[u8]>)],
) {
    let start = frame::begin(out, Kind::Admin);
    write_entry(out, result, command, fields);
    frame::finish(out, start);
}

/// Appends an entry: a header and its fields.
pub(crate) fn write_entry(
    out: &mut Vec<u8>,
    result: ResultCode,
    command: u8,
    fields: &[(u8, impl AsRef<[u8]>)],
) {
    out.extend_from_slice(&[0, result.0, command, fields.len() as u8]);
    out.extend_from_slice(&[0; 12]);
    for (id, data) in fields {
        message::write_field(out, *id, data.as_ref());
    }
}

/// Result, command and fields of a body's first entry; anything after the last field is ignored.
pub(crate) fn read(body: &[u8]) -> Result<(ResultCode, u8, Vec<Field<'_>>), Malformed> {
    read_entry(body).map(|(result, command, fields, _)| (result, command, fields))
}

/// An entry: result, command, fields, and how many bytes it took.
pub(crate) fn read_entry(
    body: &[u8],
) -> Result<(ResultCode, u8, Vec<Field<'_>>, usize), Malformed> {
    let (head, mut rest) = body
        .split_first_chunk::<HEADER_LEN>()
        .ok_or(Malformed::new("security message", "shorter than 16 bytes"))?;
    let mut fields = Vec::new();
    for _ in 0..head[3] {
        let (field, used) = message::read_field(rest)?;
        fields.push(field);
        rest = &rest[used..];
    }
    Ok((ResultCode(head[1]), head[2], fields, body.len() - rest.len()))
}

pub(crate) fn find<'a>(fields: &[Field<'a>], id: u8) -> Option<&'a [u8]> {
    fields.iter().find(|field| field.id == id).map(|field| field.data)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADMIN: &str = "$2a$10$7EqJtq98hPqEX7fNZaFWoO1mVO/4MLpGzsqojz6E9Gef6iXDjXdDa";

    fn frame_of(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out);
        let (frame, used) = frame::split(&out).unwrap().unwrap();
        assert_eq!((frame.kind, used), (Kind::Admin, out.len()));
        out
    }

    #[cfg(feature = "login")]
    #[test]
    fn passwords_hash_as_servers_expect() {
        assert_eq!(hash_password("admin"), ADMIN);
        assert_eq!(hash_password("nopassword"), NO_PASSWORD);
        assert_eq!(ADMIN.len(), HASH_LEN);
    }

    /// Example 13 of the protocol notes.
    #[test]
    fn login_bytes_match_those_a_live_server_accepted() {
        let login =
            Request::Login { user: "admin", credential: ADMIN.as_bytes(), clear_password: None };
        let bytes = frame_of(|out| login.encode(out));
        let mut expected = vec![2, 2, 0, 0, 0, 0, 0, 0x5b, 0, 0, 0x14, 2];
        expected.extend_from_slice(&[0; 12]);
        expected.extend_from_slice(b"\0\0\0\x06\0admin\0\0\0\x3d\x03");
        expected.extend_from_slice(ADMIN.as_bytes());
        assert_eq!(bytes, expected);
        assert_eq!(Request::parse(&bytes[8..]), Ok(login));
    }

    /// Example 14: Community Edition has no security.
    #[test]
    fn a_server_without_security_rejects_logins_by_its_own_code() {
        let reply = Reply { result: ResultCode::SECURITY_NOT_SUPPORTED, session: None };
        let bytes = frame_of(|out| reply.encode(out));
        let mut expected = vec![2, 2, 0, 0, 0, 0, 0, 0x10, 0, 0x33];
        expected.extend_from_slice(&[0; 14]);
        assert_eq!(bytes, expected);
        assert_eq!(Reply::parse(&bytes[8..]), Ok(reply));
    }

    #[test]
    fn requests_round_trip() {
        let requests = [
            Request::Login { user: "ü", credential: b"hash", clear_password: Some(b"word") },
            Request::Authenticate { user: "u", token: &[0, 255, 7] },
            Request::Authenticate { user: "", token: &[] },
            Request::CertificateLogin,
            Request::CertificateAuthenticate { token: b"t" },
        ];
        for request in requests {
            let bytes = frame_of(|out| request.encode(out));
            assert_eq!(Request::parse(&bytes[8..]), Ok(request));
        }
    }

    #[test]
    fn replies_round_trip() {
        for ttl in [None, Some(0), Some(86_400), Some(u32::MAX)] {
            let session = Some(Session { token: vec![9; 300], ttl });
            let reply = Reply { result: ResultCode::OK, session };
            let bytes = frame_of(|out| reply.encode(out));
            assert_eq!(Reply::parse(&bytes[8..]), Ok(reply));
        }
    }

    #[test]
    fn broken_bodies_are_rejected() {
        let request = Request::Authenticate { user: "u", token: b"t" };
        let bytes = frame_of(|out| request.encode(out));
        for cut in 8..bytes.len() {
            assert!(Request::parse(&bytes[8..cut]).is_err(), "cut at {cut}");
            assert!(Reply::parse(&bytes[8..cut]).is_err(), "cut at {cut}");
        }
        let other = frame_of(|out| write(out, ResultCode::OK, 9, NO_FIELDS));
        assert!(Request::parse(&other[8..]).is_err());
        let short = [(field::SESSION_TOKEN, &b"t"[..]), (field::SESSION_TTL, &[0, 1][..])];
        let short = frame_of(|out| write(out, ResultCode::OK, 0, &short));
        assert!(Reply::parse(&short[8..]).is_err());
    }

    #[test]
    fn secrets_stay_out_of_debug_text() {
        let request =
            Request::Login { user: "u", credential: b"hash", clear_password: Some(b"word") };
        assert_eq!(format!("{request:?}"), "Login { user: \"u\", .. }");
        let session = Session { token: b"token".to_vec(), ttl: Some(7) };
        assert_eq!(format!("{session:?}"), "Session { ttl: Some(7), .. }");
    }
}
