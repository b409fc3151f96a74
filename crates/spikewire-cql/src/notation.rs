//! The notations of the protocol, in both directions: big-endian numbers, and length-prefixed
//! strings and byte sequences.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The bytes are not valid in the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

impl Malformed {
    /// An error with this description.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

/// A result of reading.
pub type Result<T> = std::result::Result<T, Malformed>;

/// Reads from the front of a byte slice. Never panics and never reads past the end.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The remaining bytes.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some((bytes, rest)) = self.0.split_at_checked(len) else {
            let have = self.0.len();
            return Err(Malformed(format!("{len} bytes announced, {have} left")));
        };
        self.0 = rest;
        Ok(bytes)
    }

    /// The next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// A `[byte]`.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// A `[short]`.
    #[inline]
    pub fn short(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    /// An `[int]`.
    #[inline]
    pub fn int(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A `[long]`.
    #[inline]
    pub fn long(&mut self) -> Result<i64> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// An `[int]` that is a count.
    #[inline]
    pub fn count(&mut self) -> Result<usize> {
        let count = self.int()?;
        usize::try_from(count).map_err(|_| Malformed(format!("a count of {count}")))
    }

    /// A `[string]`.
    pub fn string(&mut self) -> Result<&'a str> {
        let len = self.short()?.into();
        text(self.take(len)?)
    }

    /// A `[long string]`.
    pub fn long_string(&mut self) -> Result<&'a str> {
        let len = self.count()?;
        text(self.take(len)?)
    }

    /// A `[string list]`.
    pub fn string_list(&mut self) -> Result<Vec<String>> {
        (0..self.short()?).map(|_| self.string().map(str::to_owned)).collect()
    }

    /// `[bytes]`; `None` is null.
    #[inline]
    pub fn bytes(&mut self) -> Result<Option<&'a [u8]>> {
        match usize::try_from(self.int()?) {
            Ok(len) => self.take(len).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// An `[inetaddr]`.
    pub fn inetaddr(&mut self) -> Result<IpAddr> {
        match self.byte()? {
            4 => Ok(Ipv4Addr::from(self.array::<4>()?).into()),
            16 => Ok(Ipv6Addr::from(self.array::<16>()?).into()),
            len => Err(Malformed(format!("an address of {len} bytes"))),
        }
    }

    /// An `[inet]`.
    pub fn inet(&mut self) -> Result<SocketAddr> {
        let address = self.inetaddr()?;
        let port = self.int()?;
        let port = port.try_into().map_err(|_| Malformed(format!("the port {port}")))?;
        Ok(SocketAddr::new(address, port))
    }

    /// `[short bytes]`.
    #[inline]
    pub fn short_bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.short()?.into();
        self.take(len)
    }
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes)
        .map_err(|error| Malformed(format!("a string that is not valid UTF-8: {error}")))
}

/// Something is too long for its length field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} of {len} bytes or entries; the protocol allows {most}")]
pub struct TooLong {
    /// What it is.
    pub what: &'static str,
    /// Its length.
    pub len: usize,
    /// The maximum length.
    pub most: usize,
}

/// Appends a count as a `[short]`.
pub fn put_short(
    out: &mut Vec<u8>,
    what: &'static str,
    len: usize,
) -> std::result::Result<(), TooLong> {
    let most = usize::from(u16::MAX);
    let short = u16::try_from(len).map_err(|_| TooLong { what, len, most })?;
    out.extend_from_slice(&short.to_be_bytes());
    Ok(())
}

/// Appends a count as an `[int]`.
pub fn put_count(
    out: &mut Vec<u8>,
    what: &'static str,
    len: usize,
) -> std::result::Result<(), TooLong> {
    let most = i32::MAX as usize;
    let int = i32::try_from(len).map_err(|_| TooLong { what, len, most })?;
    out.extend_from_slice(&int.to_be_bytes());
    Ok(())
}

/// Appends a `[string]`.
pub fn put_string(
    out: &mut Vec<u8>,
    what: &'static str,
    text: &str,
) -> std::result::Result<(), TooLong> {
    put_short_bytes(out, what, text.as_bytes())
}

/// Appends a `[long string]`.
pub fn put_long_string(
    out: &mut Vec<u8>,
    what: &'static str,
    text: &str,
) -> std::result::Result<(), TooLong> {
    put_bytes(out, what, text.as_bytes())
}

/// Appends `[bytes]` or a `[value]`.
pub fn put_bytes(
    out: &mut Vec<u8>,
    what: &'static str,
    bytes: &[u8],
) -> std::result::Result<(), TooLong> {
    put_count(out, what, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends `[short bytes]`.
pub fn put_short_bytes(
    out: &mut Vec<u8>,
    what: &'static str,
    bytes: &[u8],
) -> std::result::Result<(), TooLong> {
    put_short(out, what, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Appends a `[string list]`.
pub fn put_string_list(
    out: &mut Vec<u8>,
    what: &'static str,
    texts: &[impl AsRef<str>],
) -> std::result::Result<(), TooLong> {
    put_short(out, what, texts.len())?;
    texts.iter().try_for_each(|text| put_string(out, what, text.as_ref()))
}

/// Appends an `[inetaddr]`.
pub fn put_inetaddr(out: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            out.push(4);
            out.extend_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            out.push(16);
            out.extend_from_slice(&address.octets());
        }
    }
}

/// Appends an `[inet]`.
pub fn put_inet(out: &mut Vec<u8>, address: SocketAddr) {
    put_inetaddr(out, address.ip());
    out.extend_from_slice(&u32::from(address.port()).to_be_bytes());
}

/// Appends a null `[value]`.
pub fn put_null(out: &mut Vec<u8>) {
    out.extend_from_slice(&(-1_i32).to_be_bytes());
}

/// Appends a `[value]` that is not set, so that the column is left unchanged.
pub fn put_unset(out: &mut Vec<u8>) {
    out.extend_from_slice(&(-2_i32).to_be_bytes());
}
