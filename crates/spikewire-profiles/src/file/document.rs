//! The contents of a file, with the lines of its keys.

use spikewire_options::Literal;

/// Deeper than any valid profile.
pub(super) const DEEPEST: usize = 64;
/// What is said of a file that is deeper.
pub(super) const TOO_DEEP: &str = "it is nested too deeply";

/// A mistake in the syntax of a file.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub message: String,
    pub line: Option<usize>,
    pub key: String,
}

impl SyntaxError {
    pub fn new(message: impl Into<String>, line: Option<usize>) -> Self {
        Self { message: message.into(), line, key: String::new() }
    }
}

/// A value, with the line of its key if that is known.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub line: Option<usize>,
    pub content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Map(Vec<(String, Node)>),
    Leaf(Literal),
}

/// The contents of a file: profiles by name.
#[derive(Debug)]
pub(super) struct Document(pub Vec<(String, Node)>);

impl Node {
    pub fn value(&self) -> Literal {
        match &self.content {
            Content::Leaf(value) => value.clone(),
            Content::Map(entries) => {
                Literal::Map(entries.iter().map(|(name, it)| (name.clone(), it.value())).collect())
            }
        }
    }
}

impl Document {
    pub fn entries(&self) -> &[(String, Node)] {
        &self.0
    }

    /// The line of a key, or of the nearest key around it whose line is known.
    pub fn line(&self, path: &[String]) -> Option<usize> {
        let (mut line, mut entries) = (None, &self.0);
        for name in path {
            let Some((_, node)) = entries.iter().find(|(known, _)| known == name) else { break };
            line = node.line.or(line);
            match &node.content {
                Content::Map(inner) => entries = inner,
                Content::Leaf(_) => break,
            }
        }
        line
    }
}

/// The number of the line of a byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    let end = at.min(text.len());
    text.as_bytes()[..end].split(|byte| *byte == b'\n').count()
}
