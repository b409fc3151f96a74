//! Lua patterns, matched within the limits of the running function.
//!
//! Lua's own matcher is a single call of C code that no hook can interrupt, and a pattern with many
//! repetitions can take it forever. This one counts its steps and checks the time.

use std::cell::Cell;

use mlua::{Error, Result};

use crate::bounds::Bounds;

/// Maximum number of captures in a pattern.
const CAPTURES: usize = 32;
/// Maximum recursion depth, as in Lua.
const DEPTH: usize = 200;
/// Steps between two checks of the time.
const STEPS: usize = 4096;

/// What a pattern captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureValue {
    /// This range of the subject.
    Range(usize, usize),
    /// A position, from 0.
    Position(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Open,
    Position,
    Length(usize),
}

#[derive(Debug, Clone, Copy)]
struct Capture {
    start: usize,
    extent: Extent,
}

/// A pattern being matched against a subject.
pub struct Matcher<'a> {
    subject: &'a [u8],
    pattern: &'a [u8],
    bounds: &'a Bounds,
    captures: Vec<Capture>,
    depth: usize,
    steps: Cell<usize>,
}

impl<'a> Matcher<'a> {
    /// A matcher for a pattern without its anchor.
    pub fn new(subject: &'a [u8], pattern: &'a [u8], bounds: &'a Bounds) -> Self {
        let steps = Cell::new(0);
        Self { subject, pattern, bounds, captures: Vec::new(), depth: 0, steps }
    }

    /// The end of a match that starts at `at`.
    pub fn match_at(&mut self, at: usize) -> Result<Option<usize>> {
        self.captures.clear();
        self.depth = 0;
        self.step(1)?;
        self.run(at, 0)
    }

    /// Number of captures.
    pub fn capture_count(&self) -> usize {
        self.captures.len()
    }

    /// A capture of the last match, which was `start..end`. For a pattern without captures, the
    /// first one is the whole match.
    pub fn capture(&self, number: usize, (start, end): (usize, usize)) -> Result<CaptureValue> {
        let Some(capture) = self.captures.get(number) else {
            if number == 0 {
                return Ok(CaptureValue::Range(start, end));
            }
            return Err(Error::runtime(format!("invalid capture index %{}", number + 1)));
        };
        match capture.extent {
            Extent::Open => Err(Error::runtime("unfinished capture")),
            Extent::Position => Ok(CaptureValue::Position(capture.start)),
            Extent::Length(len) => Ok(CaptureValue::Range(capture.start, capture.start + len)),
        }
    }

    /// Counts work; fails if the function's time is up.
    fn step(&self, count: usize) -> Result<()> {
        let steps = self.steps.get() + count;
        if steps < STEPS {
            self.steps.set(steps);
            return Ok(());
        }
        self.steps.set(0);
        self.bounds.check_time()
    }

    fn at(&self, p: usize) -> Option<u8> {
        self.pattern.get(p).copied()
    }

    /// Matches the rest of the pattern, from `p`, at `s`.
    fn run(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::runtime("pattern too complex"));
        }
        let outcome = self.items(s, p);
        self.depth -= 1;
        outcome
    }

    fn items(&mut self, mut s: usize, mut p: usize) -> Result<Option<usize>> {
        loop {
            let Some(item) = self.at(p) else { return Ok(Some(s)) };
            match (item, self.at(p + 1)) {
                (b'(', Some(b')')) => return self.open(s, p + 2, Extent::Position),
                (b'(', _) => return self.open(s, p + 1, Extent::Open),
                (b')', _) => return self.close(s, p + 1),
                (b'$', None) => return Ok((s == self.subject.len()).then_some(s)),
                (b'%', Some(b'b')) => match self.balanced(s, p + 2)? {
                    Some(end) => (s, p) = (end, p + 4),
                    None => return Ok(None),
                },
                (b'%', Some(b'f')) => match self.frontier(s, p + 2)? {
                    Some(end) => p = end,
                    None => return Ok(None),
                },
                (b'%', Some(digit @ b'0'..=b'9')) => match self.repeated(s, digit)? {
                    Some(end) => (s, p) = (end, p + 2),
                    None => return Ok(None),
                },
                _ => {
                    let end = self.item_end(p)?;
                    match self.at(end) {
                        Some(b'?') => {
                            if self.is_match(s, p, end)?
                                && let Some(end_of_match) = self.run(s + 1, end + 1)?
                            {
                                return Ok(Some(end_of_match));
                            }
                            p = end + 1;
                        }
                        Some(b'+') => {
                            if !self.is_match(s, p, end)? {
                                return Ok(None);
                            }
                            return self.longest(s + 1, p, end);
                        }
                        Some(b'*') => return self.longest(s, p, end),
                        Some(b'-') => return self.shortest(s, p, end),
                        _ => {
                            if !self.is_match(s, p, end)? {
                                return Ok(None);
                            }
                            (s, p) = (s + 1, end);
                        }
                    }
                }
            }
        }
    }

    fn open(&mut self, s: usize, p: usize, extent: Extent) -> Result<Option<usize>> {
        if self.captures.len() >= CAPTURES {
            return Err(Error::runtime("too many captures"));
        }
        let level = self.captures.len();
        self.captures.push(Capture { start: s, extent });
        let result = self.run(s, p)?;
        if result.is_none() {
            self.captures.truncate(level);
        }
        Ok(result)
    }

    fn close(&mut self, s: usize, p: usize) -> Result<Option<usize>> {
        let open = self.captures.iter().rposition(|capture| capture.extent == Extent::Open);
        let level = open.ok_or_else(|| Error::runtime("invalid pattern capture"))?;
        self.captures[level].extent = Extent::Length(s - self.captures[level].start);
        let result = self.run(s, p)?;
        if result.is_none() {
            self.captures[level].extent = Extent::Open;
        }
        Ok(result)
    }

    /// Matches as many of the item `p..end` as possible, then the rest.
    fn longest(&mut self, s: usize, p: usize, end: usize) -> Result<Option<usize>> {
        let mut count = 0;
        while self.is_match(s + count, p, end)? {
            count += 1;
        }
        loop {
            if let Some(end_of_match) = self.run(s + count, end + 1)? {
                return Ok(Some(end_of_match));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
        }
    }

    /// Matches as few of the item `p..end` as possible, then the rest.
    fn shortest(&mut self, mut s: usize, p: usize, end: usize) -> Result<Option<usize>> {
        loop {
            if let Some(end_of_match) = self.run(s, end + 1)? {
                return Ok(Some(end_of_match));
            }
            if !self.is_match(s, p, end)? {
                return Ok(None);
            }
            s += 1;
        }
    }

    /// `%bxy`: matches from an x to the y that balances it.
    fn balanced(&self, s: usize, p: usize) -> Result<Option<usize>> {
        let (Some(open), Some(close)) = (self.at(p), self.at(p + 1)) else {
            let text = "malformed pattern (missing arguments to '%b')";
            return Err(Error::runtime(text));
        };
        if self.subject.get(s) != Some(&open) {
            return Ok(None);
        }
        let mut depth = 1;
        for (at, byte) in self.subject.iter().enumerate().skip(s + 1) {
            self.step(1)?;
            if *byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(at + 1));
                }
            } else if *byte == open {
                depth += 1;
            }
        }
        Ok(None)
    }

    /// `%f[set]`: matches where the set begins; returns the end of the item in the pattern.
    fn frontier(&self, s: usize, p: usize) -> Result<Option<usize>> {
        if self.at(p) != Some(b'[') {
            return Err(Error::runtime("missing '[' after '%f' in pattern"));
        }
        let end = self.item_end(p)?;
        let before = s.checked_sub(1).map_or(0, |before| self.subject[before]);
        let here = self.subject.get(s).copied().unwrap_or(0);
        let is_there = !self.is_in_set(before, p, end - 1)? && self.is_in_set(here, p, end - 1)?;
        Ok(is_there.then_some(end))
    }

    /// `%1`: matches the contents of a capture again.
    fn repeated(&self, s: usize, digit: u8) -> Result<Option<usize>> {
        let invalid = || Error::runtime(format!("invalid capture index %{}", digit - b'0'));
        let number = digit.checked_sub(b'1').ok_or_else(invalid)?;
        let capture = self.captures.get(usize::from(number)).ok_or_else(invalid)?;
        let len = match capture.extent {
            Extent::Open => return Err(invalid()),
            Extent::Position => return Ok(None),
            Extent::Length(len) => len,
        };
        self.step(len / 16 + 1)?;
        let held = &self.subject[capture.start..capture.start + len];
        Ok(self.subject[s..].starts_with(held).then_some(s + len))
    }

    /// The end of the single item at `p`, without its quantifier.
    fn item_end(&self, p: usize) -> Result<usize> {
        match self.pattern[p] {
            b'%' if p + 1 == self.pattern.len() => {
                Err(Error::runtime("malformed pattern (ends with '%')"))
            }
            b'%' => Ok(p + 2),
            b'[' => {
                let mut p = p + 1;
                if self.at(p) == Some(b'^') {
                    p += 1;
                }
                // A ']' that comes first is a member of the set.
                loop {
                    self.step(1)?;
                    match self.at(p) {
                        None => {
                            return Err(Error::runtime("malformed pattern (missing ']')"));
                        }
                        Some(b'%') if p + 1 < self.pattern.len() => p += 2,
                        Some(_) => p += 1,
                    }
                    if self.at(p) == Some(b']') {
                        return Ok(p + 1);
                    }
                }
            }
            _ => Ok(p + 1),
        }
    }

    /// Whether the item `p..end` matches the byte at `s`.
    fn is_match(&self, s: usize, p: usize, end: usize) -> Result<bool> {
        self.step(1)?;
        let Some(byte) = self.subject.get(s).copied() else { return Ok(false) };
        Ok(match self.pattern[p] {
            b'.' => true,
            b'%' => is_of_class(byte, self.pattern[p + 1]),
            b'[' => self.is_in_set(byte, p, end - 1)?,
            literal => literal == byte,
        })
    }

    /// Whether the set from the '[' at `p` to the ']' at `end` contains a byte.
    fn is_in_set(&self, byte: u8, p: usize, end: usize) -> Result<bool> {
        self.step((end - p) / 8 + 1)?;
        let mut p = p + 1;
        let mut is_member = true;
        if self.at(p) == Some(b'^') {
            is_member = false;
            p += 1;
        }
        while p < end {
            if self.pattern[p] == b'%' {
                p += 1;
                if self.at(p).is_some_and(|class| is_of_class(byte, class)) {
                    return Ok(is_member);
                }
                p += 1;
            } else if self.at(p + 1) == Some(b'-') && p + 2 < end {
                if (self.pattern[p]..=self.pattern[p + 2]).contains(&byte) {
                    return Ok(is_member);
                }
                p += 3;
            } else {
                if self.pattern[p] == byte {
                    return Ok(is_member);
                }
                p += 1;
            }
        }
        Ok(!is_member)
    }
}

/// Whether a byte belongs to the class with this letter. A capital letter means the complement; any
/// other character means itself.
fn is_of_class(byte: u8, class: u8) -> bool {
    let is_in_class = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, b' ' | 9..=13),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is_in_class != class.is_ascii_uppercase()
}
