//! Decodes query requests, as a server does: the kind of query and its fields.

use super::{Collection, Index, Point, Range, Subject};
use crate::key::Digest;
use crate::limits::{self, PARTITIONS};
use crate::message::{Message, field, info1, info2, info3};
use crate::result_code::ResultCode;

/// What to do with the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work<'a> {
    /// Return them.
    Send,
    /// Apply the operations of the message in the background.
    Operations,
    /// Apply a user-defined function in the background.
    Function {
        /// Its module.
        package: &'a [u8],
        /// Its name.
        name: &'a [u8],
        /// Its arguments: a `MessagePack` list.
        arguments: &'a [u8],
    },
    /// Return the results of an aggregation.
    Aggregate,
}

/// A decoded query. Names are not checked for existence.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeQuery<'a> {
    /// What to do with the records.
    pub work: Work<'a>,
    /// Namespace name.
    pub namespace: &'a [u8],
    /// Set name; empty for the whole namespace.
    pub set: &'a [u8],
    /// The task id; 0: the server assigns one.
    pub id: u64,
    /// Socket timeout: how long to wait for a client that does not read, in ms; 0: forever; `None`:
    /// not given.
    pub patience: Option<u32>,
    /// Records per second; 0: no limit.
    pub records_per_second: u32,
    /// Partitions to read from their start.
    pub partitions: Vec<u16>,
    /// Partitions to resume.
    pub points: Vec<Point>,
    /// Most records; 0: no limit.
    pub limit: u64,
    /// The index and its range; `None` for a scan.
    pub index: Option<Index>,
    /// The filter expression in its wire form.
    pub filter: Option<&'a [u8]>,
    /// Bins to return in the older form: `u8 count, (u8 length, name)...`.
    pub bins: Option<&'a [u8]>,
    /// Whether bins are omitted.
    pub no_bins: bool,
    /// Whether it is a short query.
    pub short: bool,
}

impl<'a> NodeQuery<'a> {
    /// Whether a non-batch message is a query: it does not name a record.
    pub fn is_query(message: &Message<'_>) -> bool {
        message.field(field::DIGEST).is_none() && message.header.info1 & info1::BATCH == 0
    }

    /// Decodes a request; the error is the result code of the rejection.
    pub fn parse(message: &Message<'a>) -> Result<Self, ResultCode> {
        let rejection = ResultCode::PARAMETER;
        let header = message.header;
        let mut query = Self {
            work: work(message)?,
            namespace: message.field(field::NAMESPACE).ok_or(ResultCode::NAMESPACE)?,
            set: message.field(field::SET).unwrap_or_default(),
            id: 0,
            patience: None,
            records_per_second: 0,
            partitions: Vec::new(),
            points: Vec::new(),
            limit: 0,
            index: None,
            filter: message.field(field::FILTER),
            bins: message.field(field::BINS),
            no_bins: header.info1 & info1::NO_BINS != 0,
            short: header.info1 & info1::SHORT_QUERY != 0,
        };
        for part in message.fields() {
            match part.id {
                field::TASK_ID => query.id = long(part.data)?,
                field::SOCKET_TIMEOUT => query.patience = Some(word(part.data)?),
                field::RECORDS_PER_SECOND => query.records_per_second = word(part.data)?,
                field::MAX_RECORDS => query.limit = long(part.data)?,
                _ => {}
            }
        }
        query.partitions(message)?;
        query.index = index(message)?;
        query.values(message)?;
        if query.work == Work::Send {
            let listed = query.partitions.len() + query.points.len() > 0;
            if header.info3 & info3::PARTITION_DONE == 0 || !listed {
                return Err(ResultCode::UNSUPPORTED_FEATURE);
            }
            if query.short && query.records_per_second > 0 {
                return Err(rejection);
            }
            if query.bins.is_some() && header.ops > 0 {
                return Err(rejection);
            }
        } else if query.short {
            return Err(rejection);
        }
        Ok(query)
    }

    fn partitions(&mut self, message: &Message<'a>) -> Result<(), ResultCode> {
        let mut seen = vec![false; PARTITIONS];
        let mut new = |pid: u16| {
            let slot = seen.get_mut(usize::from(pid)).ok_or(ResultCode::PARAMETER)?;
            if std::mem::replace(slot, true) { Err(ResultCode::PARAMETER) } else { Ok(()) }
        };
        if let Some(data) = message.field(field::PARTITIONS) {
            // An odd last byte is ignored.
            let ids = data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            self.partitions = ids.map(|pid| new(pid).map(|()| pid)).collect::<Result<_, _>>()?;
            if self.partitions.is_empty() {
                return Err(ResultCode::PARAMETER);
            }
        }
        if let Some(data) = message.field(field::DIGESTS) {
            if data.is_empty() || data.len() % 20 != 0 {
                return Err(ResultCode::PARAMETER);
            }
            for digest in data.as_chunks().0 {
                let digest = Digest(*digest);
                new(digest.partition())?;
                self.points.push(Point { digest, value: 0 });
            }
        }
        Ok(())
    }

    /// Index values accompany digests, and only those of an index query.
    fn values(&mut self, message: &Message<'a>) -> Result<(), ResultCode> {
        let data = message.field(field::INDEX_VALUES);
        if self.points.is_empty() {
            return if data.is_some() { Err(ResultCode::PARAMETER) } else { Ok(()) };
        }
        if self.index.is_none() {
            return Ok(());
        }
        let (values, rest) = data.ok_or(ResultCode::PARAMETER)?.as_chunks();
        if !rest.is_empty() || values.len() != self.points.len() {
            return Err(ResultCode::PARAMETER);
        }
        for (point, value) in self.points.iter_mut().zip(values) {
            point.value = u64::from_le_bytes(*value);
        }
        Ok(())
    }
}

fn work<'a>(message: &Message<'a>) -> Result<Work<'a>, ResultCode> {
    let Some(package) = message.field(field::UDF_PACKAGE) else {
        let writes = message.header.info2 & info2::WRITE != 0;
        return Ok(if writes { Work::Operations } else { Work::Send });
    };
    let name = message.field(field::UDF_FUNCTION).ok_or(ResultCode::PARAMETER)?;
    let arguments = message.field(field::UDF_ARGUMENTS).ok_or(ResultCode::PARAMETER)?;
    match message.field(field::UDF_OP) {
        Some([1]) => Ok(Work::Aggregate),
        Some([2]) => Ok(Work::Function { package, name, arguments }),
        _ => Err(ResultCode::PARAMETER),
    }
}

fn index(message: &Message<'_>) -> Result<Option<Index>, ResultCode> {
    let rejection = ResultCode::PARAMETER;
    let Some(data) = message.field(field::INDEX_RANGE) else { return Ok(None) };
    let (bin, range) = Range::decode(data).map_err(|_| rejection)?;
    let named = |id| message.field(id).filter(|data| !data.is_empty());
    let name = named(field::INDEX_NAME);
    let expression = named(field::INDEX_EXPRESSION);
    let context = named(field::INDEX_CONTEXT);
    if usize::from(name.is_some())
        + usize::from(expression.is_some())
        + usize::from(context.is_some())
        > 1
    {
        return Err(rejection);
    }
    let subject = match (name, expression) {
        (None, None) if bin.is_empty() => return Err(rejection),
        (None, None) => Subject::Bin(bin.to_owned()),
        _ if !bin.is_empty() => return Err(rejection),
        (Some(name), _) => {
            let name = std::str::from_utf8(name).map_err(|_| rejection)?;
            if name.len() > limits::INDEX_NAME {
                return Err(rejection);
            }
            Subject::Name(name.to_owned())
        }
        (None, Some(expression)) => Subject::Expression(expression.to_vec()),
    };
    let collection = match message.field(field::INDEX_TYPE) {
        None => Collection::Value,
        Some([number]) => Collection::from_wire(*number).ok_or(rejection)?,
        Some(_) => return Err(rejection),
    };
    Ok(Some(Index { subject, collection, context: context.map(<[u8]>::to_vec), range }))
}

fn word(data: &[u8]) -> Result<u32, ResultCode> {
    data.try_into().map(u32::from_be_bytes).map_err(|_| ResultCode::PARAMETER)
}

fn long(data: &[u8]) -> Result<u64, ResultCode> {
    data.try_into().map(u64::from_be_bytes).map_err(|_| ResultCode::PARAMETER)
}
