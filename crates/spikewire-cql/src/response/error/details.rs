//! Details that accompany some error codes.

use std::fmt;
use std::net::IpAddr;

use super::code::Code;
use crate::consistency::Consistency;
use crate::notation::{
    Reader, Result, TooLong, put_count, put_inetaddr, put_short_bytes, put_string, put_string_list,
};
use crate::version::Version;

/// How many replicas a request waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replicas {
    /// The required consistency level. Not always the requested one: a batch log has its own.
    pub consistency: Consistency,
    /// How many responded.
    pub received: i32,
    /// How many were required.
    pub required: i32,
}

/// Replicas that failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// How many.
    pub count: i32,
    /// Their addresses and reason codes. Version 5.
    pub reasons: Vec<(IpAddr, u16)>,
}

/// Details of an error besides its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Details {
    /// None, or none that are known.
    None,
    /// For [`Code::Unavailable`]; replicas that are alive count as `received`.
    Unavailable(Replicas),
    /// For [`Code::WriteTimeout`].
    WriteTimeout {
        /// The replicas that responded.
        replicas: Replicas,
        /// What was written.
        write_type: WriteType,
        /// How often other conditional writes interfered. Version 5, with [`WriteType::Cas`].
        contentions: Option<u16>,
    },
    /// For [`Code::ReadTimeout`].
    ReadTimeout {
        /// The replicas that responded.
        replicas: Replicas,
        /// Whether the replica that was asked for the data itself responded.
        data_present: bool,
    },
    /// For [`Code::ReadFailure`].
    ReadFailure {
        /// The replicas that responded.
        replicas: Replicas,
        /// The replicas that failed.
        failures: Failures,
        /// Whether the replica that was asked for the data itself responded.
        data_present: bool,
    },
    /// For [`Code::FunctionFailure`].
    FunctionFailure {
        /// Its keyspace.
        keyspace: String,
        /// Its name.
        function: String,
        /// Its argument types.
        arguments: Vec<String>,
    },
    /// For [`Code::WriteFailure`].
    WriteFailure {
        /// The replicas that responded.
        replicas: Replicas,
        /// The replicas that failed.
        failures: Failures,
        /// What was written.
        write_type: WriteType,
    },
    /// For [`Code::CasWriteUnknown`].
    CasWriteUnknown(Replicas),
    /// For [`Code::AlreadyExists`].
    AlreadyExists {
        /// The keyspace.
        keyspace: String,
        /// The table; empty if it is the keyspace.
        table: String,
    },
    /// For [`Code::RateLimit`].
    RateLimit {
        /// What was limited.
        operation: LimitedOperation,
        /// Whether the coordinator rejected it, so that no replica has seen it.
        by_coordinator: bool,
    },
    /// For [`Code::Unprepared`]: the id of the statement; for a batch, of the first such statement.
    Unprepared(Vec<u8>),
}

/// The value of a detail, for languages that know the details of an error by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailValue<'a> {
    /// There is none.
    Absent,
    /// A number.
    Number(i32),
    /// Yes or no.
    Flag(bool),
    /// Text.
    Text(&'a str),
    /// A list of texts.
    Texts(&'a [String]),
}

/// The operations of which a partition has a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedOperation {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Others, by number.
    Other(u8),
}

impl LimitedOperation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Other(_) => "other",
        }
    }

    fn number(self) -> u8 {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Other(number) => number,
        }
    }
}

impl From<u8> for LimitedOperation {
    fn from(number: u8) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            other => Self::Other(other),
        }
    }
}

/// What was being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteType {
    /// One partition.
    Simple,
    /// The statements of a logged batch whose log was written: they will be applied.
    Batch,
    /// The statements of an unlogged batch.
    UnloggedBatch,
    /// Counters.
    Counter,
    /// The log of a batch.
    BatchLog,
    /// A conditional statement.
    Cas,
    /// A materialized view.
    View,
    /// Change data capture.
    Cdc,
    /// An unknown write type.
    Other(String),
}

impl WriteType {
    /// Its name in the protocol.
    pub fn name(&self) -> &str {
        match self {
            Self::Simple => "SIMPLE",
            Self::Batch => "BATCH",
            Self::UnloggedBatch => "UNLOGGED_BATCH",
            Self::Counter => "COUNTER",
            Self::BatchLog => "BATCH_LOG",
            Self::Cas => "CAS",
            Self::View => "VIEW",
            Self::Cdc => "CDC",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for WriteType {
    fn from(name: &str) -> Self {
        match name {
            "SIMPLE" => Self::Simple,
            "BATCH" => Self::Batch,
            "UNLOGGED_BATCH" => Self::UnloggedBatch,
            "COUNTER" => Self::Counter,
            "BATCH_LOG" => Self::BatchLog,
            "CAS" => Self::Cas,
            "VIEW" => Self::View,
            "CDC" => Self::Cdc,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for WriteType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Replicas {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let consistency = Consistency::read(reader)?;
        Ok(Self { consistency, received: reader.int()?, required: reader.int()? })
    }

    fn write(self, out: &mut Vec<u8>) {
        self.consistency.write(out);
        out.extend_from_slice(&self.received.to_be_bytes());
        out.extend_from_slice(&self.required.to_be_bytes());
    }
}

impl Failures {
    fn read(version: Version, reader: &mut Reader<'_>) -> Result<Self> {
        let count = reader.count()? as i32;
        let reasons = match version {
            Version::V4 => Vec::new(),
            Version::V5 => (0..count)
                .map(|_| Ok((reader.inetaddr()?, reader.short()?)))
                .collect::<Result<_>>()?,
        };
        Ok(Self { count, reasons })
    }

    fn write(&self, out: &mut Vec<u8>, version: Version) -> std::result::Result<(), TooLong> {
        match version {
            Version::V4 => out.extend_from_slice(&self.count.to_be_bytes()),
            Version::V5 => {
                put_count(out, "failures", self.reasons.len())?;
                for &(address, reason) in &self.reasons {
                    put_inetaddr(out, address);
                    out.extend_from_slice(&reason.to_be_bytes());
                }
            }
        }
        Ok(())
    }
}

impl Details {
    /// The details by name.
    pub fn fields(&self) -> Vec<(&'static str, DetailValue<'_>)> {
        use DetailValue::{Absent, Flag, Number, Text, Texts};
        let (replicas, mut fields) = match self {
            Self::None | Self::Unprepared(_) => (None, Vec::new()),
            Self::Unavailable(replicas) | Self::CasWriteUnknown(replicas) => {
                (Some(replicas), Vec::new())
            }
            Self::WriteTimeout { replicas, write_type, contentions } => {
                let contentions = contentions.map_or(Absent, |count| Number(count.into()));
                let write_type = ("write_type", Text(write_type.name()));
                (Some(replicas), vec![write_type, ("contentions", contentions)])
            }
            Self::ReadTimeout { replicas, data_present } => {
                (Some(replicas), vec![("data_present", Flag(*data_present))])
            }
            Self::ReadFailure { replicas, failures, data_present } => {
                let failures = ("failures", Number(failures.count));
                (Some(replicas), vec![failures, ("data_present", Flag(*data_present))])
            }
            Self::WriteFailure { replicas, failures, write_type } => {
                let failures = ("failures", Number(failures.count));
                (Some(replicas), vec![failures, ("write_type", Text(write_type.name()))])
            }
            Self::FunctionFailure { keyspace, function, arguments } => {
                let function = [("keyspace", Text(keyspace)), ("function", Text(function))];
                (None, [&function[..], &[("arguments", Texts(arguments))]].concat())
            }
            Self::RateLimit { operation, by_coordinator } => {
                let operation = ("operation", Text(operation.name()));
                (None, vec![operation, ("by_coordinator", Flag(*by_coordinator))])
            }
            Self::AlreadyExists { keyspace, table } => {
                let table = if table.is_empty() { Absent } else { Text(table) };
                (None, vec![("keyspace", Text(keyspace)), ("table", table)])
            }
        };
        if let Some(Replicas { consistency, received, required }) = replicas {
            let numbers = [("received", Number(*received)), ("required", Number(*required))];
            let consistency = ("consistency", Text(consistency.name()));
            fields.splice(..0, [consistency].into_iter().chain(numbers));
        }
        fields
    }

    pub(in crate::response) fn read(
        version: Version,
        code: Code,
        reader: &mut Reader<'_>,
    ) -> Result<Self> {
        Ok(match code {
            Code::Unavailable => {
                let consistency = Consistency::read(reader)?;
                let (required, received) = (reader.int()?, reader.int()?);
                Self::Unavailable(Replicas { consistency, received, required })
            }
            Code::WriteTimeout => {
                let replicas = Replicas::read(reader)?;
                let write_type = WriteType::from(reader.string()?);
                let counts = version == Version::V5 && write_type == WriteType::Cas;
                let contentions = counts.then(|| reader.short()).transpose()?;
                Self::WriteTimeout { replicas, write_type, contentions }
            }
            Code::ReadTimeout => {
                let replicas = Replicas::read(reader)?;
                Self::ReadTimeout { replicas, data_present: reader.byte()? != 0 }
            }
            Code::ReadFailure => {
                let replicas = Replicas::read(reader)?;
                let failures = Failures::read(version, reader)?;
                Self::ReadFailure { replicas, failures, data_present: reader.byte()? != 0 }
            }
            Code::FunctionFailure => Self::FunctionFailure {
                keyspace: reader.string()?.to_owned(),
                function: reader.string()?.to_owned(),
                arguments: reader.string_list()?,
            },
            Code::WriteFailure => {
                let replicas = Replicas::read(reader)?;
                let failures = Failures::read(version, reader)?;
                Self::WriteFailure { replicas, failures, write_type: reader.string()?.into() }
            }
            Code::CasWriteUnknown => Self::CasWriteUnknown(Replicas::read(reader)?),
            Code::AlreadyExists => Self::AlreadyExists {
                keyspace: reader.string()?.to_owned(),
                table: reader.string()?.to_owned(),
            },
            Code::RateLimit(_) => Self::RateLimit {
                operation: reader.byte()?.into(),
                by_coordinator: reader.byte()? == 1,
            },
            Code::Unprepared => Self::Unprepared(reader.short_bytes()?.to_owned()),
            _ => Self::None,
        })
    }

    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        version: Version,
    ) -> std::result::Result<(), TooLong> {
        match self {
            Self::None => {}
            Self::Unavailable(Replicas { consistency, received, required }) => {
                consistency.write(out);
                out.extend_from_slice(&required.to_be_bytes());
                out.extend_from_slice(&received.to_be_bytes());
            }
            Self::WriteTimeout { replicas, write_type, contentions } => {
                replicas.write(out);
                put_string(out, "a write type", write_type.name())?;
                if version == Version::V5 && *write_type == WriteType::Cas {
                    out.extend_from_slice(&contentions.unwrap_or(0).to_be_bytes());
                }
            }
            Self::ReadTimeout { replicas, data_present } => {
                replicas.write(out);
                out.push((*data_present).into());
            }
            Self::ReadFailure { replicas, failures, data_present } => {
                replicas.write(out);
                failures.write(out, version)?;
                out.push((*data_present).into());
            }
            Self::FunctionFailure { keyspace, function, arguments } => {
                put_string(out, "the name of a keyspace", keyspace)?;
                put_string(out, "the name of a function", function)?;
                put_string_list(out, "arguments of a function", arguments)?;
            }
            Self::WriteFailure { replicas, failures, write_type } => {
                replicas.write(out);
                failures.write(out, version)?;
                put_string(out, "a write type", write_type.name())?;
            }
            Self::CasWriteUnknown(replicas) => replicas.write(out),
            Self::AlreadyExists { keyspace, table } => {
                put_string(out, "the name of a keyspace", keyspace)?;
                put_string(out, "the name of a table", table)?;
            }
            Self::RateLimit { operation, by_coordinator } => {
                out.extend_from_slice(&[operation.number(), (*by_coordinator).into()]);
            }
            Self::Unprepared(id) => put_short_bytes(out, "the id of a prepared statement", id)?,
        }
        Ok(())
    }
}
