//! What is read off the text of a statement, and names in CQL.
//!
//! The text is not parsed: only its words are looked at, without comments, strings and quoted
//! names. What that cannot tell is taken for the less convenient case.

/// A name in double quotes, so that it is taken as it is.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What matters about a statement before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// It reads and changes nothing, so that a lost answer leaves no doubt.
    pub reads: bool,
    /// It has a condition: a lightweight transaction.
    pub conditional: bool,
    /// It changes the keyspace of its connection.
    pub uses_keyspace: bool,
    /// It is about rows, and does not count: whoever says that it is idempotent may be right.
    pub repeatable: bool,
}

impl Traits {
    /// Of this statement.
    pub fn of(text: &str) -> Self {
        let mut words = Words(text);
        let first = words.next().unwrap_or_default();
        let is = |word: &str| first.eq_ignore_ascii_case(word);
        let begins = is("BEGIN");
        let counts =
            begins && words.next().is_some_and(|word| word.eq_ignore_ascii_case("COUNTER"));
        let changes_data = is("INSERT") || is("UPDATE") || is("DELETE") || begins;
        let conditional = changes_data && words.any(|word| word.eq_ignore_ascii_case("IF"));
        let reads = is("SELECT") || is("LIST");
        let repeatable = reads || (changes_data && !counts);
        Self { reads, conditional, uses_keyspace: is("USE"), repeatable }
    }
}

/// The words of a statement.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = self.0;
            let first = rest.chars().next()?;
            let skipped = if first.is_alphabetic() || first == '_' {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
                self.0 = rest;
                return Some(word);
            } else if rest.starts_with("--") || rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if let Some(behind) = rest.strip_prefix("$$") {
                behind.find("$$").map_or(rest.len(), |end| end + 4)
            } else if first == '\'' || first == '"' {
                rest[1..].find(first).map_or(rest.len(), |end| end + 2)
            } else {
                first.len_utf8()
            };
            self.0 = &rest[skipped..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_does() {
        let of = |text| {
            let Traits { reads, conditional, uses_keyspace, .. } = Traits::of(text);
            (reads, conditional, uses_keyspace)
        };
        assert_eq!(of("select * from t"), (true, false, false));
        assert_eq!(of(" -- INSERT\n /* x */ SELECT 'if' FROM t"), (true, false, false));
        assert_eq!(of("INSERT INTO t (k) VALUES (?) IF NOT EXISTS"), (false, true, false));
        assert_eq!(of("insert into t (\"if\", 'if') values ('', '''if''')"), (false, false, false));
        assert_eq!(of("UPDATE t SET v = $$ if $$ WHERE k = 1"), (false, false, false));
        assert_eq!(of("DELETE FROM t WHERE k=1 IF v=2"), (false, true, false));
        assert_eq!(of("CREATE TABLE IF NOT EXISTS t (k int PRIMARY KEY)"), (false, false, false));
        assert_eq!(of("USE shop"), (false, false, true));
        assert_eq!(of(""), (false, false, false));
        assert_eq!(of("'unended"), (false, false, false));
        assert_eq!(of("größe IF"), (false, false, false));
    }

    #[test]
    fn what_may_be_idempotent() {
        let of = |text| Traits::of(text).repeatable;
        for text in
            ["SELECT 1", "INSERT", "update t", "DELETE", "BEGIN BATCH", "begin unlogged batch"]
        {
            assert!(of(text), "{text}");
        }
        for text in
            ["BEGIN COUNTER BATCH", "begin /* x */ counter batch", "CREATE TABLE t", "USE k"]
        {
            assert!(!of(text), "{text}");
        }
        assert!(!of("TRUNCATE t") && !of(""));
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
