//! Operations on every record of a query: reads of a query, or writes of a background job.

use spikewire_aerospike_protocol::message::{op, write_op};
use spikewire_aerospike_protocol::query::Query;

use crate::model::{Error, Result};

/// Encoded operations, validated one by one.
#[derive(Debug, Clone)]
pub struct QueryOps {
    bytes: Vec<u8>,
    count: usize,
    /// For a background job, which only writes; otherwise for a query, which only reads.
    writes: bool,
}

impl QueryOps {
    /// For a query.
    pub fn reading() -> Self {
        Self { bytes: Vec::new(), count: 0, writes: false }
    }

    /// For a background job.
    pub fn writing() -> Self {
        Self { writes: true, ..Self::reading() }
    }

    /// For a background job that does this to every record as a whole.
    pub fn whole(code: u8) -> Self {
        let mut operations = Self::writing();
        operations.add(code, "", 0, &[]);
        operations
    }

    /// For a query that returns these bins.
    pub fn bins<N: AsRef<str>>(names: &[N]) -> Self {
        let mut operations = Self::reading();
        names.iter().for_each(|name| operations.bin(name.as_ref()));
        operations
    }

    /// Adds a bin to return.
    pub fn bin(&mut self, name: &str) {
        self.add(op::READ, name, 0, &[]);
    }

    /// Adds an operation; bin `""` for none.
    pub fn push(&mut self, code: u8, bin: &str, particle: u8, value: &[u8]) -> Result<()> {
        let at = self.count;
        let reject = |why: &str| Err(Error::invalid(format!("operations[{at}] {why}")));
        match (op::reads(code), self.writes) {
            (true, true) => {
                return reject("reads; a job only writes, as nothing takes what it reads");
            }
            (false, false) => return reject("writes; a query only reads"),
            (true, false) if bin.is_empty() => {
                return reject("reads every bin; leave operations out for that");
            }
            _ => {}
        }
        self.add(code, bin, particle, value);
        Ok(())
    }

    fn add(&mut self, code: u8, bin: &str, particle: u8, value: &[u8]) {
        write_op(&mut self.bytes, code, bin.as_bytes(), particle, value);
        self.count += 1;
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn check_some(&self) -> Result<()> {
        if self.is_empty() {
            return Err(Error::invalid("operations must not be empty"));
        }
        Ok(())
    }

    pub(crate) fn add_to(&self, query: &mut Query) {
        query.ops.extend_from_slice(&self.bytes);
        query.op_count += self.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_read_and_jobs_write() {
        let mut reading = QueryOps::reading();
        reading.push(op::EXP_READ, "sum", 0, &[]).unwrap();
        let error = reading.push(op::WRITE, "a", 1, &[0; 8]).unwrap_err();
        assert_eq!(error.message(), "operations[1] writes; a query only reads");
        let error = reading.push(op::READ, "", 0, &[]).unwrap_err();
        assert!(error.message().starts_with("operations[1] reads every bin"), "{error}");
        let mut writing = QueryOps::whole(op::TOUCH);
        let error = writing.push(op::CDT_READ, "a", 0, &[]).unwrap_err();
        assert!(error.message().starts_with("operations[1] reads; a job only writes"), "{error}");
        assert_eq!((reading.len(), writing.len()), (1, 1));
    }

    #[test]
    fn they_are_counted_without_wrapping() {
        let mut reading = QueryOps::reading();
        (0..70_000).for_each(|_| reading.bin("a"));
        let mut query = Query::default();
        reading.add_to(&mut query);
        assert_eq!(query.op_count, 70_000);
        assert!(query.check().is_err());
    }
}
