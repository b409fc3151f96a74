//! Where in an expression a failure happened.

use super::{each_pair, number, pair, text};
use crate::msgpack::{self, Reader, Token, take};

/// The longest name of an operation.
const NAME: usize = 32;
/// The most frames of a path.
const FRAMES: usize = 16;
/// The longest excerpt of an expression.
const SNIPPET: usize = 256;
/// The longest text of an operand.
const OPERAND: usize = 48;

macro_rules! words {
    ($(#[doc = $doc:literal])* $of:ident { $($(#[doc = $text:literal])* $name:ident = $number:literal, $word:literal;)* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $of {
            $($(#[doc = $text])* $name = $number,)*
        }

        impl $of {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            fn of_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }
    };
}

words! {
    /// When an expression failed.
    Phase {
        /// While the server read it.
        Build = 1, "build";
        /// On a record.
        Evaluation = 2, "evaluation";
    }
}

words! {
    /// What an operation gave instead of a value.
    Outcome {
        /// It failed.
        Fault = 1, "fault";
        /// False.
        False = 2, "false";
        /// Nothing: what it is about is not there.
        Absent = 3, "absent";
    }
}

words! {
    /// In which language an expression was sent.
    Language {
        /// Compiled.
        Msgpack = 1, "msgpack";
        /// As text.
        Ael = 2, "ael";
    }
}

/// Where in an expression a failure happened. Servers say what they know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// When it failed.
    pub phase: Option<Phase>,
    /// Where the operation begins in the bytes of the expression.
    pub offset: Option<u32>,
    /// The operation.
    pub op: Option<String>,
    /// How many operations it is inside of.
    pub depth: Option<u32>,
    /// The operations that it is inside of, the outermost first; "..." for some of them.
    pub path: Vec<String>,
    /// That part of the expression as text.
    pub snippet: Option<String>,
    /// What the operation gave.
    pub outcome: Option<Outcome>,
    /// In which language the expression was sent; compiled if the server does not say so.
    pub language: Option<Language>,
    /// Where the operation begins in an expression sent as text, in bytes.
    pub text_offset: Option<u32>,
    /// How many bytes of that text it has.
    pub text_length: Option<u32>,
    /// The line of that text, from 1.
    pub line: Option<u32>,
    /// The column in it, from 1.
    pub column: Option<u32>,
    /// What the operation was about.
    pub operands: Vec<String>,
}

/// Keys of the map.
mod key {
    pub const PHASE: i64 = 1;
    pub const OFFSET: i64 = 2;
    pub const OP: i64 = 3;
    pub const DEPTH: i64 = 4;
    pub const PATH: i64 = 5;
    pub const SNIPPET: i64 = 6;
    pub const OUTCOME: i64 = 7;
    pub const LANGUAGE: i64 = 8;
    pub const TEXT_OFFSET: i64 = 9;
    pub const TEXT_LENGTH: i64 = 10;
    pub const LINE: i64 = 11;
    pub const COLUMN: i64 = 12;
    pub const OPERANDS: i64 = 13;
}

impl Trace {
    /// A trace of a compiled expression at this phase.
    pub fn at(phase: Phase) -> Self {
        Self { phase: Some(phase), ..Self::default() }
    }

    /// Reads the trace of a reply; `None` if there is nothing in it that can be read.
    pub(super) fn read(value: &[u8]) -> Option<Self> {
        let mut trace = Self::default();
        each_pair(value, |key, value| match key {
            key::PHASE => trace.phase = number(value).and_then(Phase::of_number),
            key::OFFSET => trace.offset = number(value),
            key::OP => trace.op = text(value),
            key::DEPTH => trace.depth = number(value),
            key::PATH => trace.path = texts(value, FRAMES),
            key::SNIPPET => trace.snippet = text(value),
            key::OUTCOME => trace.outcome = number(value).and_then(Outcome::of_number),
            key::LANGUAGE => trace.language = number(value).and_then(Language::of_number),
            key::TEXT_OFFSET => trace.text_offset = number(value),
            key::TEXT_LENGTH => trace.text_length = number(value),
            key::LINE => trace.line = number(value),
            key::COLUMN => trace.column = number(value),
            key::OPERANDS => trace.operands = texts(value, 2),
            _ => {}
        })?;
        (trace != Self::default()).then_some(trace)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let text = |out: &mut Vec<u8>, text: &str| msgpack::raw(out, text.as_bytes());
        let language = self.language.filter(|language| *language != Language::Msgpack);
        let numbers = [
            (key::PHASE, self.phase.map(|it| it as u32)),
            (key::OFFSET, self.offset),
            (key::DEPTH, self.depth),
            (key::OUTCOME, self.outcome.map(|it| it as u32)),
            (key::LANGUAGE, language.map(|it| it as u32)),
            (key::TEXT_OFFSET, self.text_offset),
            (key::TEXT_LENGTH, self.text_length),
            (key::LINE, self.line),
            (key::COLUMN, self.column),
        ];
        let op = self.op.as_deref().map(|op| super::cut(op, NAME));
        let snippet = self.snippet.as_deref().map(|it| super::cut(it, SNIPPET));
        let lists = [(key::PATH, frames(&self.path)), (key::OPERANDS, operands(&self.operands))];
        let texts = [(key::OP, op), (key::SNIPPET, snippet)];
        let count = numbers.iter().filter(|(_, number)| number.is_some()).count()
            + texts.iter().filter(|(_, text)| text.is_some()).count()
            + lists.iter().filter(|(_, list)| !list.is_empty()).count();
        msgpack::map(out, count as u32);
        // In the order of the keys.
        for key in key::PHASE..=key::OPERANDS {
            for (at, number) in numbers.iter().filter(|(at, _)| *at == key) {
                if let Some(number) = number {
                    pair(out, *at, |out| msgpack::int(out, i64::from(*number)));
                }
            }
            for (at, value) in texts.iter().filter(|(at, _)| *at == key) {
                if let Some(value) = value {
                    pair(out, *at, |out| text(out, value));
                }
            }
            for (at, list) in lists.iter().filter(|(at, list)| *at == key && !list.is_empty()) {
                pair(out, *at, |out| {
                    msgpack::array(out, list.len() as u32);
                    list.iter().for_each(|part| text(out, part));
                });
            }
        }
    }

    /// The same without what matters least; `None` if there is nothing of that.
    pub(super) fn shortened(mut self) -> Option<Self> {
        if !self.operands.is_empty() {
            self.operands.clear();
        } else if self.snippet.is_some() {
            self.snippet = None;
        } else if !self.path.is_empty() {
            self.path.clear();
        } else {
            return None;
        }
        Some(self)
    }

    /// The trace in a few words.
    pub(super) fn summary(&self) -> String {
        let mut words = Vec::new();
        if let Some(op) = &self.op {
            words.push(format!("in {op}"));
        }
        match (self.line, self.column, self.text_offset, self.offset) {
            // A message about a text ends with its line and column.
            (Some(_), Some(_), ..) => {}
            (_, _, Some(offset), _) | (_, _, None, Some(offset)) => {
                words.push(format!("at byte {offset} of the expression"));
            }
            _ => {}
        }
        if let Some(snippet) = &self.snippet {
            words.push(format!("({snippet})"));
        }
        words.join(" ")
    }
}

/// At most so many frames, with a gap in their middle if there are more.
fn frames(path: &[String]) -> Vec<&str> {
    let gap =
        if path.len() > FRAMES { FRAMES / 2..path.len() - (FRAMES - FRAMES / 2 - 1) } else { 0..0 };
    let mut frames = Vec::new();
    for (at, frame) in path.iter().enumerate() {
        if gap.contains(&at) {
            if at == gap.start {
                frames.push("...");
            }
        } else {
            frames.push(super::cut(frame, NAME));
        }
    }
    frames
}

fn operands(operands: &[String]) -> Vec<&str> {
    operands.iter().take(2).map(|operand| super::cut(operand, OPERAND)).collect()
}

/// The first texts of a list; numbers are texts, too.
fn texts(value: &[u8], most: usize) -> Vec<String> {
    let mut reader = Reader::new(value);
    let Ok(Token::Array(count)) = reader.next() else { return Vec::new() };
    let mut texts = Vec::new();
    for _ in 0..(count as usize).min(most) {
        let Ok(value) = take(&mut reader) else { break };
        let text = text(value).or_else(|| number(value).map(|number| number.to_string()));
        texts.push(text.unwrap_or_else(|| "?".to_owned()));
    }
    texts
}
