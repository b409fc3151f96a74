//! Finds text that is the same to Unicode, however it is composed: `é` is one code point or two.
//!
//! If both sides are in the normal form NFC, that is a search for bytes. Otherwise both are
//! decomposed, and what matches are whole sequences: a letter with the marks that follow it.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// The text in a form in which it can be searched.
enum Form<'a> {
    Plain(&'a str),
    Decomposed {
        text: String,
        /// Where sequences begin, in the decomposed text and in the original; the last one is the end.
        edges: Vec<(usize, usize)>,
    },
}

/// A search for a needle in a text.
pub struct Search<'a> {
    form: Form<'a>,
    needle: String,
}

impl<'a> Search<'a> {
    /// Prepares a search.
    pub fn new(text: &'a str, needle: &str) -> Self {
        let is_ascii = text.is_ascii() && needle.is_ascii();
        if is_ascii || is_nfc(text) && is_nfc(needle) {
            return Self { form: Form::Plain(text), needle: needle.to_owned() };
        }
        let mut decomposed = String::with_capacity(2 * text.len());
        let mut edges = Vec::new();
        for sequence in sequences(text) {
            edges.push((decomposed.len(), sequence.start));
            decomposed.extend(text[sequence].nfd());
        }
        edges.push((decomposed.len(), text.len()));
        Self { form: Form::Decomposed { text: decomposed, edges }, needle: needle.nfd().collect() }
    }

    /// The bytes of the original text where the needle is; matches do not overlap.
    pub fn matches(&self) -> Vec<Range<usize>> {
        let needle = self.needle.as_str();
        let (text, edges) = match &self.form {
            Form::Plain(text) => {
                return text.match_indices(needle).map(|(at, _)| at..at + needle.len()).collect();
            }
            Form::Decomposed { text, edges } => (text, edges),
        };
        let mut matches = Vec::new();
        let mut from = 0;
        while let Some(distance) = text[from..].find(needle) {
            let start = from + distance;
            let end = start + needle.len();
            if let (Some(first), Some(last)) = (edge(edges, start), edge(edges, end)) {
                matches.push(first..last);
                from = end;
            } else {
                let next = text[start..].chars().next();
                from = start + next.map_or(1, char::len_utf8);
            }
        }
        matches
    }

    /// Whether the text starts with the needle.
    pub fn is_at_start(&self) -> bool {
        match &self.form {
            Form::Plain(text) => text.starts_with(&self.needle),
            Form::Decomposed { text, edges } => {
                text.starts_with(&self.needle) && edge(edges, self.needle.len()).is_some()
            }
        }
    }

    /// Whether the text ends with the needle.
    pub fn is_at_end(&self) -> bool {
        match &self.form {
            Form::Plain(text) => text.ends_with(&self.needle),
            Form::Decomposed { text, edges } => {
                text.ends_with(&self.needle)
                    && edge(edges, text.len() - self.needle.len()).is_some()
            }
        }
    }
}

/// Where the sequence that begins here begins in the original text.
fn edge(edges: &[(usize, usize)], at: usize) -> Option<usize> {
    edges.binary_search_by_key(&at, |(decomposed, _)| *decomposed).ok().map(|at| edges[at].1)
}

/// Code points with the combining marks that follow them.
fn sequences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut starts = text
        .char_indices()
        .filter(|(at, letter)| *at == 0 || canonical_combining_class(*letter) == 0)
        .map(|(at, _)| at)
        .peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(start..starts.peek().copied().unwrap_or(text.len()))
    })
}
