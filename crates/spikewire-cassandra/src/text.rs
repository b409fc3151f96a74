//! What can be told from the text of a statement, and names in CQL.
//!
//! The text is not parsed. Only its words are examined, ignoring comments, strings and quoted
//! names. Ambiguous cases are resolved conservatively.

use std::borrow::Cow;
use std::fmt;

/// A name in double quotes, so that it is taken literally.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Properties of a statement that matter before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// It only reads, so that a lost reply leaves nothing in doubt.
    pub reads: bool,
    /// It has a condition, which makes it a lightweight transaction.
    pub conditional: bool,
    /// It changes the connection's keyspace.
    pub uses_keyspace: bool,
    /// It is about rows and uses no counters, so that it can be idempotent if the caller says so.
    pub repeatable: bool,
}

impl Traits {
    /// The traits of this statement.
    pub fn of(text: &str) -> Self {
        let mut words = words(text);
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

/// A short name of a statement, as far as its text shows it. A CQL statement has one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// `SELECT`, `INSERT`, `CREATE TABLE`; empty if there is none.
    pub operation: String,
    /// The keyspace named in it, if any.
    pub keyspace: String,
    /// Its table, or whatever other object of a keyspace it is about.
    pub table: String,
}

impl Summary {
    /// The summary of this statement.
    pub fn of(text: &str) -> Self {
        let mut tokens = Tokens(text).peekable();
        let Some(Token::Word(first)) = tokens.next() else { return Self::default() };
        let mut operation = first.to_uppercase();
        let mut is_keyspace = false;
        match &*operation {
            "SELECT" | "DELETE" => until(&mut tokens, "FROM"),
            "INSERT" => until(&mut tokens, "INTO"),
            "UPDATE" => {}
            "TRUNCATE" => skip(&mut tokens, "TABLE"),
            "USE" => is_keyspace = true,
            "CREATE" | "ALTER" | "DROP" => {
                skip(&mut tokens, "CUSTOM");
                let kinds = ["TABLE", "COLUMNFAMILY", "KEYSPACE", "TYPE"];
                let kind = |kind: &&str| tokens.next_if(|token| token.is(kind)).is_some();
                let Some(kind) = kinds.into_iter().find(kind) else {
                    return Self { operation, ..Self::default() };
                };
                operation = format!("{operation} {kind}");
                is_keyspace = kind == "KEYSPACE";
                ["IF", "NOT", "EXISTS"].iter().for_each(|word| skip(&mut tokens, word));
            }
            _ => return Self { operation, ..Self::default() },
        }
        let first = tokens.next().and_then(Token::name).unwrap_or_default();
        let dot = tokens.next_if_eq(&Token::Dot);
        let second = dot.and_then(|_| tokens.next()).and_then(Token::name);
        let (keyspace, table) = match second {
            Some(second) => (first, second),
            None if is_keyspace => (first, String::new()),
            None => (String::new(), first),
        };
        Self { operation, keyspace, table }
    }
}

impl fmt::Display for Summary {
    /// `SELECT shop.items`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, keyspace, table } = self;
        let space = if keyspace.is_empty() && table.is_empty() { "" } else { " " };
        let dot = if keyspace.is_empty() || table.is_empty() { "" } else { "." };
        write!(out, "{operation}{space}{keyspace}{dot}{table}")
    }
}

type PeekableTokens<'a> = std::iter::Peekable<Tokens<'a>>;

fn until(tokens: &mut PeekableTokens<'_>, word: &str) {
    tokens.find(|token| token.is(word));
}

fn skip(tokens: &mut PeekableTokens<'_>, word: &str) {
    tokens.next_if(|token| token.is(word));
}

/// The words of a statement.
fn words(text: &str) -> impl Iterator<Item = &str> {
    Tokens(text).filter_map(|token| match token {
        Token::Word(word) => Some(word),
        _ => None,
    })
}

/// A part of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    /// A word, or an unquoted name.
    Word(&'a str),
    /// The contents of double quotes.
    Quoted(&'a str),
    /// The dot between a keyspace and its table.
    Dot,
    /// A string, a number, an operator.
    Other,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }

    /// A name as the server knows it.
    fn name(self) -> Option<String> {
        match self {
            Self::Word(word) => Some(word.to_lowercase()),
            Self::Quoted(inside) => Some(inside.replace("\"\"", "\"")),
            Self::Dot | Self::Other => None,
        }
    }
}

/// The tokens of a statement, without comments.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.0;
            let first = rest.chars().next()?;
            let end = |end: Option<usize>| end.unwrap_or(rest.len());
            let (token, len) = if first.is_alphabetic() || first == '_' {
                let len = end(rest.find(|c: char| !c.is_alphanumeric() && c != '_'));
                (Some(Token::Word(&rest[..len])), len)
            } else if let Some(len) = comment(rest) {
                (None, len)
            } else if let Some(behind) = rest.strip_prefix("$$") {
                (Some(Token::Other), end(behind.find("$$").map(|at| at + 4)))
            } else if first == '\'' || first == '"' {
                let (inside, len) = quoted_part(rest, first);
                (Some(if first == '"' { Token::Quoted(inside) } else { Token::Other }), len)
            } else if first == '.' {
                (Some(Token::Dot), 1)
            } else {
                ((!first.is_whitespace()).then_some(Token::Other), first.len_utf8())
            };
            self.0 = &rest[len..];
            if token.is_some() {
                return token;
            }
        }
    }
}

/// The length of the comment that a text begins with.
fn comment(text: &str) -> Option<usize> {
    let end = if text.starts_with("--") || text.starts_with("//") {
        text.find('\n')
    } else if text.starts_with("/*") {
        text.find("*/").map(|at| at + 2)
    } else {
        return None;
    };
    Some(end.unwrap_or(text.len()))
}

/// A statement with the markers of CQL instead of percent signs: `%s` becomes `?`, `%(name)s`
/// becomes `:"name"`, and `%%` a percent sign. Quoted text and comments are left unchanged.
pub fn without_percent_markers(text: &str) -> Result<Cow<'_, str>, &'static str> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '%' {
            rest = percent_marker(rest, &mut out).ok_or(
                "a percent sign in a statement with parameters must be part of %s or %(name)s, or \
                 doubled (%%); the markers of CQL, ? and :name, do as well",
            )?;
            continue;
        }
        let len = match first {
            '\'' | '"' => quoted_part(rest, first).1,
            _ => comment(rest).unwrap_or(first.len_utf8()),
        };
        let (unchanged, behind) = rest.split_at(len);
        out.push_str(unchanged);
        rest = behind;
    }
    Ok(Cow::Owned(out))
}

/// Converts the marker at the start of `rest` into `out`. Returns what follows it.
fn percent_marker<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    for (marker, becomes) in [("%s", '?'), ("%%", '%')] {
        if let Some(behind) = rest.strip_prefix(marker) {
            out.push(becomes);
            return Some(behind);
        }
    }
    let (name, behind) = rest.strip_prefix("%(")?.split_once(")s")?;
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    // In quotes, so that capitals are kept and reserved words are names.
    out.extend([":\"", name, "\""]);
    Some(behind)
}

/// The contents of the quoted string that a text begins with (quotes inside are doubled), and its
/// length including the quotes.
fn quoted_part(text: &str, quote: char) -> (&str, usize) {
    let mut at = 1;
    while let Some(offset) = text[at..].find(quote) {
        let end = at + offset;
        if !text[end + 1..].starts_with(quote) {
            return (&text[1..end], end + 1);
        }
        at = end + 2;
    }
    (&text[1..], text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_conditions_and_use_are_recognized_in_text() {
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
    fn statements_that_may_be_idempotent_are_recognized() {
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
    fn statement_names_are_verb_and_table() {
        for (text, expected) in [
            ("SELECT name FROM shop.items WHERE id = ?", "SELECT shop.items"),
            (" /* why */ update  Items set name = 'FROM x.y'", "UPDATE items"),
            ("-- first\nDELETE name FROM \"Shop\".\"It\"\"ems\"", "DELETE Shop.It\"ems"),
            ("SELECT 'a from b', $$ from c $$ FROM shop . items", "SELECT shop.items"),
            ("insert /* into x */ into t (k) values ('it''s into')", "INSERT t"),
            ("TRUNCATE TABLE items", "TRUNCATE items"),
            ("CREATE TABLE IF NOT EXISTS shop.items (id int)", "CREATE TABLE shop.items"),
            ("CREATE KEYSPACE IF NOT EXISTS shop WITH x", "CREATE KEYSPACE shop"),
            ("drop table if exists shop.items", "DROP TABLE shop.items"),
            ("CREATE CUSTOM INDEX i ON shop.items (name)", "CREATE"),
            ("USE shop", "USE shop"),
            ("BEGIN BATCH UPDATE a SET b = 1 APPLY BATCH", "BEGIN"),
            ("GRANT ALL ON KEYSPACE shop TO someone", "GRANT"),
            ("SELECT", "SELECT"),
            ("SELECT \"", "SELECT"),
            ("", ""),
            ("(((", ""),
        ] {
            assert_eq!(Summary::of(text).to_string(), expected, "{text}");
        }
        assert_eq!(Summary::of("USE shop").keyspace, "shop");
    }

    #[test]
    fn percent_markers_become_those_of_cql() {
        for (text, becomes) in [
            ("SELECT a FROM t WHERE k = ?", "SELECT a FROM t WHERE k = ?"),
            ("SELECT a FROM t WHERE k = %s AND c > %s", "SELECT a FROM t WHERE k = ? AND c > ?"),
            ("SELECT a FROM t WHERE k = %(key)s", "SELECT a FROM t WHERE k = :\"key\""),
            ("SELECT a FROM t WHERE k = %(userId)s", "SELECT a FROM t WHERE k = :\"userId\""),
            ("SELECT a FROM t WHERE k = %(from)s", "SELECT a FROM t WHERE k = :\"from\""),
            ("SELECT '%s' FROM t -- %s\n WHERE k = %s", "SELECT '%s' FROM t -- %s\n WHERE k = ?"),
            ("SELECT 5 %% 2 /* % */", "SELECT 5 % 2 /* % */"),
        ] {
            assert_eq!(without_percent_markers(text).unwrap(), becomes);
        }
        assert!(without_percent_markers("SELECT %d").is_err());
    }

    #[test]
    fn quotes_in_names_are_doubled() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
