//! Samples of commands to the bytes of a file.

use rustc_hash::FxHashMap;
use spikewire_transport::metrics::Sample;

use super::format::{
    BLOCK_HEADER_LEN, KEY_LEN, MAGIC, MOST_LABELS, MOST_SETS, VERSION, block, flag, write_number,
    write_text,
};

/// What the samples of a file share.
#[derive(Debug, Default)]
pub struct Encoder {
    labels: FxHashMap<&'static str, u64>,
    namespaces: FxHashMap<u64, u64>,
    sets: FxHashMap<u64, u64>,
    inside: Vec<u8>,
}

impl Encoder {
    /// The beginning of a file.
    pub fn header(&mut self, share: f64, began_micros: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        self.inside.clear();
        self.inside.extend_from_slice(&share.to_le_bytes());
        self.inside.extend_from_slice(&began_micros.to_le_bytes());
        write_text(&mut self.inside, env!("CARGO_PKG_VERSION"));
        self.block(block::HEADER, out);
    }

    /// A block of calls, which are sorted.
    pub fn calls(&mut self, samples: &mut [Sample], out: &mut Vec<u8>) {
        samples.sort_unstable_by_key(|sample| sample.start);
        self.inside.clear();
        self.new_labels(samples);
        self.new_sets(samples);
        let Self { labels, sets, inside, .. } = self;
        write_number(inside, samples.len() as u64);
        let mut before = 0;
        for sample in &*samples {
            let arrival = sample.start / 1000;
            write_number(inside, arrival - before);
            before = arrival;
        }
        let mut column = |value: &dyn Fn(&Sample) -> u64| {
            samples.iter().for_each(|sample| write_number(inside, value(sample)));
        };
        let label = |label| labels.get(label).copied().unwrap_or_default();
        column(&|sample| sample.took / 1000);
        column(&|sample| label(sample.operation));
        column(&|sample| label(sample.result));
        column(&|sample| {
            let writes = if sample.writes { flag::WRITES } else { 0 };
            u64::from(writes | if sample.key.is_some() { flag::KEY } else { 0 })
        });
        column(&|sample| sets.get(&sample.set).copied().unwrap_or_default());
        column(&|sample| sample.rows.into());
        column(&|sample| sample.request.into());
        column(&|sample| sample.reply.into());
        for key in samples.iter().filter_map(|sample| sample.key) {
            inside.extend_from_slice(&key.to_le_bytes()[..KEY_LEN]);
        }
        self.block(block::CALLS, out);
    }

    /// The end of a file.
    pub fn end(&mut self, numbers: [u64; 4], out: &mut Vec<u8>) {
        self.inside.clear();
        numbers.into_iter().for_each(|number| write_number(&mut self.inside, number));
        self.block(block::END, out);
    }

    fn new_labels(&mut self, samples: &[Sample]) {
        let mut new = Vec::new();
        for label in samples.iter().flat_map(|sample| [sample.operation, sample.result]) {
            let number = self.labels.len() + 1;
            if number <= MOST_LABELS && !self.labels.contains_key(label) {
                self.labels.insert(label, number as u64);
                new.push(label);
            }
        }
        write_number(&mut self.inside, new.len() as u64);
        new.into_iter().for_each(|label| write_text(&mut self.inside, label));
    }

    fn new_sets(&mut self, samples: &[Sample]) {
        let mut new = Vec::new();
        for sample in samples {
            let number = self.sets.len() + 1;
            if number <= MOST_SETS && !self.sets.contains_key(&sample.set) {
                self.sets.insert(sample.set, number as u64);
                let number = self.namespaces.len() as u64 + 1;
                new.push(*self.namespaces.entry(sample.namespace).or_insert(number));
            }
        }
        write_number(&mut self.inside, new.len() as u64);
        new.into_iter().for_each(|namespace| write_number(&mut self.inside, namespace));
    }

    fn block(&self, kind: u8, out: &mut Vec<u8>) {
        let stored = lz4_flex::block::compress(&self.inside);
        out.reserve(BLOCK_HEADER_LEN + stored.len());
        out.push(kind);
        out.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.inside.len() as u32).to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&stored).to_le_bytes());
        out.extend_from_slice(&stored);
    }
}
