//! Parses the dialogues.

use spikewire_cql::envelope::{HEADER_LEN, Header, UnsealResult};
use spikewire_cql::segment::Unsealer;

const TEXT: &str = include_str!("dialogues.txt");

/// One line of a dialogue.
#[derive(Debug, Clone)]
pub struct Line {
    /// The dialogue and the number of the line in it.
    pub place: String,
    /// Whether it was sent by the server.
    pub is_response: bool,
    /// Its bytes on the wire.
    pub sealed: Vec<u8>,
    /// What was around the envelope.
    pub around: Around,
    /// The envelope itself; its body may still be compressed.
    pub plain: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    Nothing,
    Segment { lz4: bool },
}

/// All lines except the one in an unsupported version and the reply to it.
pub fn all() -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut title, mut count) = ("", 0);
    for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            (title, count) = (line.trim_matches(['[', ']']), 0);
            continue;
        }
        let (side, hex) = line.split_once(' ').expect("a side and bytes");
        if title != "refused" {
            lines.push(parse(format!("{title} {count}"), side == "S", bytes(hex)));
        }
        count += 1;
    }
    lines
}

/// The line with this number in this dialogue.
pub fn line(place: &str) -> Line {
    let line = all().into_iter().find(|line| line.place == place);
    line.unwrap_or_else(|| panic!("no line {place}"))
}

/// Parses hexadecimal bytes, ignoring blanks.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("digits")
    };
    digits.chunks(2).map(byte).collect()
}

fn parse(place: String, is_response: bool, sealed: Vec<u8>) -> Line {
    let header = Header::read(&sealed).ok().flatten();
    if header.is_some_and(|header| header.envelope_len() == sealed.len()) {
        let plain = sealed.clone();
        return Line { place, is_response, sealed, around: Around::Nothing, plain };
    }
    let lz4 = place.contains("LZ4");
    let mut plain = Vec::new();
    let opened = Unsealer::new(lz4).open(&sealed, &mut plain);
    assert_eq!(opened, Ok(UnsealResult::Took(sealed.len())), "{place}");
    assert!(plain.len() >= HEADER_LEN, "{place}");
    Line { place, is_response, sealed, around: Around::Segment { lz4 }, plain }
}
