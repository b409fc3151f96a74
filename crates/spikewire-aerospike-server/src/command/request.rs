//! The parts of a request, parsed in one pass over its fields.

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{self, HEADER_LEN, Header, Op, field};
use spikewire_aerospike_protocol::transaction::{self, Version};

/// The parts of a call of a user-defined function.
#[derive(Debug, Clone, Copy, Default)]
pub struct Udf<'a> {
    /// The module name without file extension.
    pub package: Option<&'a [u8]>,
    /// The function in it.
    pub function: Option<&'a [u8]>,
    /// Its arguments, a packed list.
    pub arguments: Option<&'a [u8]>,
}

/// A request whose fields and operations have been checked to fit its body.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The header.
    pub header: Header,
    /// Namespace name; empty if absent.
    pub namespace: &'a [u8],
    /// Set name; empty if absent.
    pub set: &'a [u8],
    /// The user key, if sent.
    pub key: Option<&'a [u8]>,
    /// The digest, if valid.
    pub digest: Option<Digest>,
    /// Whether there is a digest field of any length.
    pub has_digest: bool,
    /// The filter expression.
    pub filter: Option<&'a [u8]>,
    /// Whether it belongs to a transaction.
    pub has_transaction: bool,
    /// The id of its transaction, if valid.
    pub transaction: Option<u64>,
    /// The version of the record that its transaction has read, if valid.
    pub version: Option<Version>,
    /// When its transaction expires, if valid.
    pub deadline: Option<u32>,
    /// Whether it calls a user-defined function.
    pub has_udf: bool,
    /// The call.
    pub udf: Udf<'a>,
    ops: &'a [u8],
}

impl<'a> Request<'a> {
    /// Reads the body of a message frame.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let header = Header::parse(body)?;
        let rest = &body[HEADER_LEN..];
        let (fields, ops, used) = message::split_parts(rest, header.fields, header.ops)?;
        if used != rest.len() {
            return Err(Malformed::new("request", "bytes after its last operation"));
        }
        Ok(Self::of(header, fields, ops))
    }

    /// A request from parts that have been checked already.
    pub fn of(header: Header, fields: &'a [u8], ops: &'a [u8]) -> Self {
        let mut request = Self {
            header,
            namespace: &[],
            set: &[],
            key: None,
            digest: None,
            has_digest: false,
            filter: None,
            has_transaction: false,
            transaction: None,
            version: None,
            deadline: None,
            has_udf: false,
            udf: Udf::default(),
            ops,
        };
        for field in message::fields_in(fields) {
            match field.id {
                field::NAMESPACE => request.namespace = field.data,
                field::SET => request.set = field.data,
                field::KEY => request.key = Some(field.data),
                field::DIGEST => {
                    request.has_digest = true;
                    request.digest = field.data.try_into().ok().map(Digest);
                }
                field::FILTER => request.filter = Some(field.data),
                field::TRANSACTION => {
                    request.has_transaction = true;
                    request.transaction = transaction::id(field.data).ok();
                }
                field::RECORD_VERSION => {
                    request.version = field.data.try_into().ok().map(Version);
                }
                field::DEADLINE => request.deadline = transaction::deadline(field.data).ok(),
                field::UDF_PACKAGE => {
                    request.has_udf = true;
                    request.udf.package = Some(field.data);
                }
                field::UDF_FUNCTION => request.udf.function = Some(field.data),
                field::UDF_ARGUMENTS => request.udf.arguments = Some(field.data),
                _ => {}
            }
        }
        request
    }

    /// The same request with another header.
    pub fn with_header(self, header: Header) -> Self {
        Self { header, ..self }
    }

    /// Its operations.
    pub fn ops(&self) -> impl Iterator<Item = Op<'a>> + use<'a> {
        message::ops_in(self.ops)
    }
}
