//! The info protocol: text commands, each terminated by a newline, and their replies.
//!
//! A request body consists of lines `name[:params]\n`, a reply body of lines `<command as
//! sent>\t<value>\n` in the same order.

use crate::frame::{self, Kind};

/// Appends an info frame with these commands.
pub fn request(out: &mut Vec<u8>, commands: &[&str]) {
    let start = frame::begin(out, Kind::Info);
    for command in commands {
        out.extend_from_slice(command.as_bytes());
        out.push(b'\n');
    }
    frame::finish(out, start);
}

/// A command as parsed by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command<'a> {
    /// The complete line, which the reply echoes.
    pub line: &'a str,
    /// The name: up to the first `/`, `:` or `;`.
    pub name: &'a str,
    /// The text after the separator.
    pub params: &'a str,
}

impl<'a> Command<'a> {
    /// Splits one line into name and parameters.
    pub fn parse(line: &'a str) -> Self {
        match line.find(['/', ':', ';']) {
            Some(at) => Self { line, name: &line[..at], params: &line[at + 1..] },
            None => Self { line, name: line, params: "" },
        }
    }

    /// The value of parameter `key` in `k=v;k=v`.
    pub fn param(&self, key: &str) -> Option<&'a str> {
        self.params
            .split(';')
            .filter_map(|pair| pair.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }
}

/// The commands of a request body. An unterminated last line is ignored, as by the server; invalid
/// UTF-8 ends the iteration.
pub fn commands(body: &[u8]) -> impl Iterator<Item = Command<'_>> {
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&body[..error.valid_up_to()]).unwrap_or_default(),
    };
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(Command::parse)
}

/// Appends one reply.
pub fn answer(out: &mut Vec<u8>, line: &str, value: &str) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\t');
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

/// An error reply to an info command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("info command {command:?} failed with code {code}: {message}")]
pub struct InfoError {
    /// The rejected command; empty if the whole request was rejected.
    pub command: String,
    /// The server's code; 1 if it sent none.
    pub code: u8,
    /// The server's message.
    pub message: String,
}

/// The value of `command` in a reply body, or the error sent instead.
pub fn value<'a>(body: &'a str, command: &str) -> Result<&'a str, InfoError> {
    let fail = |(code, message): (u8, &str)| InfoError {
        command: command.to_owned(),
        code,
        message: message.to_owned(),
    };
    if let Some(error) = error(body) {
        return Err(fail(error));
    }
    for line in body.split('\n') {
        if let Some((name, value)) = line.split_once('\t')
            && name == command
        {
            return error(value).map_or(Ok(value), |error| Err(fail(error)));
        }
    }
    Err(fail((1, "the node's reply does not answer this command")))
}

/// The codes of the errors in a reply body.
pub fn error_codes(body: &str) -> impl Iterator<Item = u8> {
    let values = body.lines().map(|line| line.split_once('\t').map_or(line, |(_, value)| value));
    values.filter_map(error).map(|(code, _)| code)
}

/// Reads `ERROR:<code>:<message>` or the older `FAIL:…`; a missing code is 1.
fn error(value: &str) -> Option<(u8, &str)> {
    let rest = value.strip_prefix("ERROR:").or_else(|| value.strip_prefix("FAIL:"))?;
    let first = rest.split("ERROR:").next().unwrap_or(rest).trim_end_matches([';', '\n']);
    let (code, message) = first.split_once(':').unwrap_or((first, first));
    Some((code.parse().unwrap_or(1), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_end_with_a_newline() {
        let body = b"node\nreplicas:max=2;x=\n\nnamespace/test\ntail";
        let parsed: Vec<_> = commands(body).map(|c| (c.name, c.params)).collect();
        assert_eq!(
            parsed,
            [("node", ""), ("replicas", "max=2;x="), ("", ""), ("namespace", "test")]
        );
        assert_eq!(Command::parse("a:k=v;max=7").param("max"), Some("7"));
        assert_eq!(Command::parse("a:k=v;max=7").param("m"), None);
    }

    #[test]
    fn info_values_and_error_codes_are_parsed() {
        let body = "node\tBB9\nracks\tERROR:25:enterprise only\nx\tERROR::odd\n";
        assert_eq!(value(body, "node"), Ok("BB9"));
        assert_eq!(value(body, "racks").unwrap_err().code, 25);
        assert_eq!(value(body, "x").unwrap_err().code, 1);
        assert_eq!(value(body, "build").unwrap_err().code, 1);
        assert_eq!(value("ERROR:80:not authenticated\n", "node").unwrap_err().code, 80);
        assert_eq!(error_codes(body).collect::<Vec<_>>(), [25, 1]);
        assert_eq!(error_codes("ERROR:80:not authenticated\n").collect::<Vec<_>>(), [80]);
    }

    #[test]
    fn the_first_of_two_errors_in_one_value_counts() {
        let body = "s\tERROR:20:namespace not found on node;ERROR:20:namespace not found on node\n";
        let error = value(body, "s").unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (20, "namespace not found on node"));
    }
}
