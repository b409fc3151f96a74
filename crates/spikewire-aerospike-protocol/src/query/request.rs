//! Encodes the request for one node's share of a query, and the request that starts a background
//! job.

use super::{ChosenIndex, Collection, Index, Point, Subject, TextFilter};
use crate::features::{self, DeepPlace, Features};
use crate::limits::PARTITIONS;
use crate::message::{self, Header, field, info1, info2, info3};
use crate::request::{Request, TooLarge, check};

/// The most that a share adds to the operations and the filter of a query: partitions or points to
/// resume after, names, and the range of an index with its context.
const ROOM_FOR_A_SHARE: usize = PARTITIONS * (2 + 20 + 8) + (64 << 10);

/// A scan or an index query, without the parts that differ between nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// Namespace name.
    pub namespace: String,
    /// Set name; empty for the whole namespace.
    pub set: String,
    /// The index and its range; `None` for a scan.
    pub index: Option<Index>,
    /// The filter expression in its wire form.
    pub filter: Option<Vec<u8>>,
    /// The same filter as text, for servers that read it; see [`super::text`].
    pub text: Option<String>,
    /// The index that a server has chosen for the text, instead of `index`.
    pub chosen: Option<ChosenIndex>,
    /// Read operations that select what to return, encoded; empty for all bins.
    pub ops: Vec<u8>,
    /// Number of those operations.
    pub op_count: usize,
    /// Whether each operation returns a result, null if it has none.
    pub respond_all_ops: bool,
    /// Omit bins: return digests and metadata only.
    pub no_bins: bool,
    /// A short query, which the server runs at once and with its own time limit.
    pub short: bool,
    /// Records per second that each node may send; 0: no limit.
    pub records_per_second: u32,
}

/// What one node is to read in one round. A partition is in at most one of the two lists.
#[derive(Debug, Clone, Copy)]
pub struct Share<'a> {
    /// The task id, a new one in each round.
    pub id: u64,
    /// Socket timeout: how long the server waits for a client that does not read, in ms; 0:
    /// forever.
    pub patience: u32,
    /// Partitions to read from their start.
    pub partitions: &'a [u16],
    /// Partitions to resume.
    pub points: &'a [Point],
    /// Most records; 0: no limit.
    pub limit: u64,
}

/// What a background job does to each record.
#[derive(Debug, Clone, Copy)]
pub enum Task<'a> {
    /// The query's operations, which write.
    Operations {
        /// Further flags of the second info byte, such as a durable delete.
        info2: u8,
        /// Flags of the third info byte: existence conditions.
        info3: u8,
        /// Expiration to set.
        ttl: u32,
    },
    /// A user-defined function.
    Function {
        /// Its module.
        package: &'a str,
        /// Its name.
        name: &'a str,
        /// Its arguments: a `MessagePack` list.
        arguments: &'a [u8],
    },
}

impl Query {
    /// Appends operation `code` on `bin` without a value; `READ` selects a bin to return.
    pub fn op(&mut self, code: u8, bin: &str) {
        message::write_op(&mut self.ops, code, bin.as_bytes(), 0, &[]);
        self.op_count += 1;
    }

    /// Rejects a query that servers would reject, for every possible share of a node.
    pub fn check(&self) -> Result<(), TooLarge> {
        let filter = self.filter.as_ref().map_or(0, Vec::len);
        let filter = filter.max(self.text.as_ref().map_or(0, String::len));
        check(self.op_count, ROOM_FOR_A_SHARE + self.ops.len() + filter)
    }

    /// What every node must be able to do.
    pub fn needs(&self) -> Features {
        let filter = self.filter.as_deref().map_or(Features::NONE, features::of_expression);
        filter | features::of_operations(&self.ops)
    }

    /// Where a value of its operations is nested too deep for newer servers.
    pub fn deep_place(&self) -> Option<DeepPlace<'_>> {
        features::deep_place(None, message::ops_in(&self.ops))
    }

    /// Writes the request for one node's share, in a form for every server: the filter is compiled.
    pub fn write(&self, share: &Share<'_>, out: &mut Vec<u8>) -> Result<(), TooLarge> {
        self.write_for(Features::NONE, share, out)
    }

    /// Writes the request for the share of a node with these features. It gets the filter as text
    /// only if it reads that.
    pub fn write_for(
        &self,
        features: Features,
        share: &Share<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), TooLarge> {
        let flag = |on: bool, flag: u8| if on { flag } else { 0 };
        let header = Header {
            info1: info1::READ
                | flag(self.no_bins, info1::NO_BINS)
                | flag(self.short, info1::SHORT_QUERY),
            info2: flag(self.respond_all_ops, info2::RESPOND_ALL_OPS),
            info3: info3::PARTITION_DONE,
            ..Header::default()
        };
        let mut request = Request::begin(out, &header);
        self.place(&mut request, share.id);
        request.field(field::SOCKET_TIMEOUT, &share.patience.to_be_bytes());
        self.pace(&mut request);
        let mut list = Vec::new();
        if !share.partitions.is_empty() {
            list.extend(share.partitions.iter().flat_map(|pid| pid.to_le_bytes()));
            request.field(field::PARTITIONS, &list);
        }
        if !share.points.is_empty() {
            list.clear();
            share.points.iter().for_each(|point| list.extend_from_slice(&point.digest.0));
            request.field(field::DIGESTS, &list);
            if self.index.is_some() || self.chosen.is_some() {
                list.clear();
                list.extend(share.points.iter().flat_map(|point| point.value.to_le_bytes()));
                request.field(field::INDEX_VALUES, &list);
            }
        }
        if share.limit > 0 {
            request.field(field::MAX_RECORDS, &share.limit.to_be_bytes());
        }
        self.index_choice(&mut request);
        match &self.text {
            Some(text) if features.has(Features::TEXT_FILTERS) => {
                let filter = TextFilter { flags: 0, text };
                request.field(field::TEXT_FILTER, &filter.encode());
            }
            _ => self.compiled(&mut request),
        }
        if !self.no_bins {
            request.encoded_ops(self.op_count, &self.ops);
        }
        request.finish()
    }

    /// Writes the request that starts a background job on one node.
    pub fn write_task(&self, id: u64, task: &Task<'_>, out: &mut Vec<u8>) -> Result<(), TooLarge> {
        let header = match *task {
            Task::Operations { info2, info3, ttl } => {
                Header { info2: info2 | info2::WRITE, info3, ttl, ..Header::default() }
            }
            Task::Function { .. } => Header { info2: info2::WRITE, ..Header::default() },
        };
        let mut request = Request::begin(out, &header);
        self.place(&mut request, id);
        self.pace(&mut request);
        self.choice(&mut request);
        match *task {
            Task::Operations { .. } => request.encoded_ops(self.op_count, &self.ops),
            Task::Function { package, name, arguments } => {
                request.field(field::UDF_PACKAGE, package.as_bytes());
                request.field(field::UDF_FUNCTION, name.as_bytes());
                request.field(field::UDF_ARGUMENTS, arguments);
                request.field(field::UDF_OP, &[2]);
            }
        }
        request.finish()
    }

    /// Writes the request that aggregates the records for which one node is master, with the stream
    /// function `name` of module `package` and these arguments, a `MessagePack` list.
    pub fn write_aggregation(
        &self,
        id: u64,
        patience: u32,
        (package, name, arguments): (&str, &str, &[u8]),
        out: &mut Vec<u8>,
    ) -> Result<(), TooLarge> {
        let header =
            Header { info1: info1::READ, info3: info3::PARTITION_DONE, ..Header::default() };
        let mut request = Request::begin(out, &header);
        self.place(&mut request, id);
        request.field(field::SOCKET_TIMEOUT, &patience.to_be_bytes());
        self.pace(&mut request);
        self.choice(&mut request);
        request.field(field::UDF_PACKAGE, package.as_bytes());
        request.field(field::UDF_FUNCTION, name.as_bytes());
        request.field(field::UDF_ARGUMENTS, arguments);
        request.field(field::UDF_OP, &[1]);
        request.finish()
    }

    fn place(&self, request: &mut Request<'_>, id: u64) {
        request.field(field::NAMESPACE, self.namespace.as_bytes());
        if !self.set.is_empty() {
            request.field(field::SET, self.set.as_bytes());
        }
        request.field(field::TASK_ID, &id.to_be_bytes());
    }

    fn pace(&self, request: &mut Request<'_>) {
        if self.records_per_second > 0 {
            request.field(field::RECORDS_PER_SECOND, &self.records_per_second.to_be_bytes());
        }
    }

    /// Writes the index and the compiled filter.
    fn choice(&self, request: &mut Request<'_>) {
        self.index_choice(request);
        self.compiled(request);
    }

    fn compiled(&self, request: &mut Request<'_>) {
        if let Some(filter) = &self.filter {
            request.field(field::FILTER, filter);
        }
    }

    fn index_choice(&self, request: &mut Request<'_>) {
        if let Some(chosen) = &self.chosen {
            request.field(field::INDEX_RANGE, &chosen.range_field());
            request.field(field::INDEX_NAME, chosen.name.as_bytes());
            if chosen.collection != Collection::Value {
                request.field(field::INDEX_TYPE, &[chosen.collection as u8]);
            }
        } else if let Some(index) = &self.index {
            let bin = match &index.subject {
                Subject::Bin(bin) => bin.as_str(),
                Subject::Name(name) => {
                    request.field(field::INDEX_NAME, name.as_bytes());
                    ""
                }
                Subject::Expression(expression) => {
                    request.field(field::INDEX_EXPRESSION, expression);
                    ""
                }
            };
            let mut range = Vec::new();
            index.range.encode(bin, &mut range);
            request.field(field::INDEX_RANGE, &range);
            if let Some(context) = &index.context {
                request.field(field::INDEX_CONTEXT, context);
            }
            if index.collection != Collection::Value {
                request.field(field::INDEX_TYPE, &[index.collection as u8]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use crate::message::{Message, op};
    use crate::query::{NodeQuery, Range, Work};
    use crate::result_code::ResultCode;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
    }

    fn scan() -> Query {
        Query { namespace: "test".to_owned(), set: "demo".to_owned(), ..Query::default() }
    }

    fn share<'a>(partitions: &'a [u16], points: &'a [Point]) -> Share<'a> {
        Share { id: 1, patience: 30_000, partitions, points, limit: 0 }
    }

    fn parsed(bytes: &[u8]) -> Result<NodeQuery<'_>, ResultCode> {
        let (message, used) = Message::parse(&bytes[frame::HEADER_LEN..]).unwrap();
        assert_eq!(used, bytes.len() - frame::HEADER_LEN);
        assert!(NodeQuery::is_query(&message));
        NodeQuery::parse(&message)
    }

    /// Example 23 of the protocol notes, as accepted by a live server.
    #[test]
    fn the_scan_of_the_protocol_notes_encodes() {
        let mut out = Vec::new();
        scan().write(&share(&[0, 1], &[]), &mut out).unwrap();
        let expected =
            hex("0203000000000047 16 01 00 04 00 00 00000000 00000000 00000000 0005 0000
             00000005 00 74657374 00000005 01 64656d6f
             00000009 07 0000000000000001 00000005 09 00007530 00000005 0b 0000 0100");
        assert_eq!(out, expected);
        let parsed = parsed(&out).unwrap();
        assert_eq!(
            (parsed.work, parsed.namespace, parsed.set),
            (Work::Send, &b"test"[..], &b"demo"[..])
        );
        assert_eq!((parsed.id, parsed.patience, parsed.partitions), (1, Some(30_000), vec![0, 1]));
    }

    /// Examples 10, 11 and 12: ranges and what is indexed.
    #[test]
    fn the_ranges_of_the_protocol_notes_encode() {
        let index = |range, collection| Index {
            subject: Subject::Bin("a".to_owned()),
            collection,
            context: None,
            range,
        };
        let bytes = |index| {
            let mut out = Vec::new();
            let query = Query { index: Some(index), ..scan() };
            query.write(&share(&[7], &[]), &mut out).unwrap();
            assert_eq!(parsed(&out).unwrap().index, query.index);
            out
        };
        let holds = |bytes: Vec<u8>, part: &str| {
            let part = hex(part);
            assert!(bytes.windows(part.len()).any(|window| window == part), "{part:02x?}");
        };
        let ints = bytes(index(Range::Int(1, 10), Collection::List));
        holds(ints.clone(), "00000002 1a 01");
        holds(ints, "0000001d 16 01016101 00000008 0000000000000001 00000008 000000000000000a");
        let text = bytes(index(Range::Str("x1".to_owned()), Collection::Value));
        holds(text, "00000011 16 01016103 00000002 7831 00000002 7831");
    }

    /// Section 5.2: with an index 22, 21 and 44, without one 44 alone, and never to an older server.
    #[test]
    fn the_text_of_a_filter_goes_only_to_servers_that_read_it() {
        let filter = Some(vec![0xc3]);
        let text = Some("$.age >= 18".to_owned());
        let scan = Query { filter, text, ..scan() };
        let bytes = |query: &Query, features| {
            let mut out = Vec::new();
            query.write_for(features, &share(&[7], &[]), &mut out).unwrap();
            out
        };
        let fields = |bytes: &[u8]| {
            let (message, _) = Message::parse(&bytes[frame::HEADER_LEN..]).unwrap();
            message.fields().map(|part| (part.id, part.data.to_vec())).collect::<Vec<_>>()
        };
        let as_text = (field::TEXT_FILTER, b"\x00$.age >= 18".to_vec());
        let compiled = (field::FILTER, vec![0xc3]);
        let sent = fields(&bytes(&scan, Features::TEXT_FILTERS));
        assert!(sent.contains(&as_text) && !sent.contains(&compiled), "{sent:02x?}");
        for features in [Features::NONE, Features::STRINGS | Features::PATHS] {
            let sent = fields(&bytes(&scan, features));
            assert!(!sent.contains(&as_text) && sent.contains(&compiled), "{sent:02x?}");
        }
        let range = Range::Int(18, i64::MAX);
        let chosen = Some(ChosenIndex::new("by_age", Collection::Value, "age", &range));
        let query = Query { chosen, ..scan };
        let sent = fields(&bytes(&query, Features::TEXT_FILTERS));
        let data = hex("01 00 01 00000008 0000000000000012 00000008 7fffffffffffffff");
        let end = [(22, data), (21, b"by_age".to_vec()), as_text];
        assert!(sent.ends_with(&end), "{sent:02x?}");
        // An older node reads the same records from the same index.
        let bytes = bytes(&query, Features::NONE);
        let old = parsed(&bytes).unwrap();
        let subject = Subject::Name("by_age".to_owned());
        let index = Index { subject, collection: Collection::Value, context: None, range };
        assert_eq!((old.index, old.filter), (Some(index), Some(&[0xc3][..])));
    }

    #[test]
    fn a_share_resumes_after_its_points() {
        let digest = crate::key::Digest([9; 20]);
        let points = [Point { digest, value: 5 }];
        for index in [None, Some(Range::Blob(b"x".to_vec()))] {
            let index = index.map(|range| Index {
                subject: Subject::Name("by_x".to_owned()),
                collection: Collection::Value,
                context: None,
                range,
            });
            let mut query = Query { index, records_per_second: 10, ..scan() };
            query.op(op::READ, "a");
            let mut out = Vec::new();
            query.write(&Share { limit: 3, ..share(&[1], &points) }, &mut out).unwrap();
            let parsed = parsed(&out).unwrap();
            let value = if query.index.is_some() { 5 } else { 0 };
            assert_eq!(parsed.points, [Point { digest, value }]);
            assert_eq!((parsed.limit, parsed.records_per_second), (3, 10));
            assert_eq!(parsed.index, query.index);
        }
    }

    #[test]
    fn background_task_requests_round_trip() {
        let mut query = scan();
        query.op(op::TOUCH, "");
        let mut out = Vec::new();
        query.write_task(3, &Task::Operations { info2: 0, info3: 0, ttl: 60 }, &mut out).unwrap();
        assert_eq!(parsed(&out).unwrap().work, Work::Operations);
        out.clear();
        let task = Task::Function { package: "m", name: "f", arguments: &[0x90] };
        query.write_task(3, &task, &mut out).unwrap();
        let expected = Work::Function { package: b"m", name: b"f", arguments: &[0x90] };
        assert_eq!(parsed(&out).unwrap().work, expected);
        out.clear();
        query.write_aggregation(3, 30_000, ("m", "f", &[0x90]), &mut out).unwrap();
        let parsed = parsed(&out).unwrap();
        assert_eq!((parsed.work, parsed.id, parsed.patience), (Work::Aggregate, 3, Some(30_000)));
    }

    #[test]
    fn invalid_partition_shares_are_rejected() {
        let digest = crate::key::Digest([9; 20]);
        let pid = digest.partition();
        let points = [Point { digest, value: 0 }];
        let code = |share: &Share<'_>| {
            let mut out = Vec::new();
            scan().write(share, &mut out).unwrap();
            parsed(&out).map(|_| ()).unwrap_err()
        };
        assert_eq!(code(&share(&[], &[])), ResultCode::UNSUPPORTED_FEATURE);
        assert_eq!(code(&share(&[4096], &[])), ResultCode::PARAMETER);
        assert_eq!(code(&share(&[3, 3], &[])), ResultCode::PARAMETER);
        assert_eq!(code(&share(&[pid], &points)), ResultCode::PARAMETER, "in both lists");
    }
}
