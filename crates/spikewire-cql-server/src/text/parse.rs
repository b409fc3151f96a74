//! The parser.

use spikewire_cql::types::Type;

use super::syntax::{Condition, CreateTable, Name, Select, Statement, Term};
use super::token::{Token, tokens};

/// Parses a statement. Parts that do not matter here (table options, ORDER BY) are skipped.
pub(crate) fn parse(text: &str) -> Result<Statement, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens };
    let verb = parser.name()?;
    match &*verb {
        "use" => Ok(Statement::Use(parser.name()?)),
        "select" => parser.select().map(Statement::Select),
        "insert" => parser.insert(),
        "create" => parser.create(),
        "drop" => parser.drop_something(),
        "truncate" => {
            parser.word("table");
            Ok(Statement::Truncate(parser.table()?))
        }
        other => Err(format!("a server of canned replies has no {}", other.to_uppercase())),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Result<&'a Token, String> {
        let (first, rest) = self.tokens.split_first().ok_or("the statement ends too soon")?;
        self.tokens = rest;
        Ok(first)
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Name(name) => Ok(name.clone()),
            other => Err(format!("a name was expected, not {other:?}")),
        }
    }

    /// Takes a keyword if it is next.
    fn word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.tokens.first(), Some(Token::Name(name)) if name == word);
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    /// Takes a sign if it is next.
    fn sign(&mut self, sign: char) -> bool {
        let is_next = self.tokens.first() == Some(&Token::Sign(sign));
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.sign(sign) { Ok(()) } else { Err(format!("{sign:?} is missing")) }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), String> {
        if self.word(word) { Ok(()) } else { Err(format!("{} is missing", word.to_uppercase())) }
    }

    fn table(&mut self) -> Result<Name, String> {
        let first = self.name()?;
        if self.sign('.') {
            return Ok(Name { keyspace: Some(first), table: self.name()? });
        }
        Ok(Name { keyspace: None, table: first })
    }

    fn names(&mut self) -> Result<Vec<String>, String> {
        let mut names = vec![self.name()?];
        while self.sign(',') {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn term(&mut self) -> Result<Term, String> {
        match self.next()? {
            Token::Marker => Ok(Term::Marker),
            Token::Text(text) => Ok(Term::Text(text.clone())),
            Token::Literal(text) | Token::Name(text) => Ok(Term::Literal(text.clone())),
            Token::Sign(sign) => Err(format!("a value was expected, not {sign:?}")),
        }
    }

    fn select(&mut self) -> Result<Select, String> {
        let columns = if self.sign('*') { None } else { Some(self.names()?) };
        if !self.word("from") {
            return Err("only columns can be selected here, by name".to_owned());
        }
        let from = self.table()?;
        let mut conditions = Vec::new();
        if self.word("where") {
            conditions.push(self.condition()?);
            while self.word("and") {
                conditions.push(self.condition()?);
            }
        }
        let mut limit = None;
        while let Some(token) = self.tokens.first() {
            if self.word("limit") {
                limit = Some(self.term()?);
            } else if *token == Token::Marker {
                return Err("a marker is not supported in this place".to_owned());
            } else {
                self.tokens = &self.tokens[1..];
            }
        }
        Ok(Select { from, columns, conditions, limit })
    }

    fn condition(&mut self) -> Result<Condition, String> {
        let column = self.name()?;
        let is_equality = self.sign('=');
        if !is_equality {
            match self.next()? {
                Token::Sign('<' | '>') => self.sign('='),
                other => return Err(format!("a comparison was expected, not {other:?}")),
            };
        }
        Ok(Condition { column, is_equality, term: self.term()? })
    }

    fn insert(&mut self) -> Result<Statement, String> {
        self.expect_word("into")?;
        let into = self.table()?;
        self.expect('(')?;
        let names = self.names()?;
        self.expect(')')?;
        self.expect_word("values")?;
        self.expect('(')?;
        let mut terms = vec![self.term()?];
        while self.sign(',') {
            terms.push(self.term()?);
        }
        self.expect(')')?;
        if names.len() != terms.len() {
            return Err(format!("{} columns and {} values", names.len(), terms.len()));
        }
        if self.word("if") {
            return Err("a server of canned replies has no conditional writes".to_owned());
        }
        let mut using = Vec::new();
        if self.word("using") {
            loop {
                let what = self.name()?;
                if self.term()? == Term::Marker {
                    using.push(what);
                }
                if !self.word("and") {
                    break;
                }
            }
        }
        Ok(Statement::Insert { into, columns: names.into_iter().zip(terms).collect(), using })
    }

    fn if_words(&mut self, words: &[&str]) -> Result<bool, String> {
        if !self.word("if") {
            return Ok(false);
        }
        words.iter().try_for_each(|word| self.expect_word(word))?;
        Ok(true)
    }

    fn create(&mut self) -> Result<Statement, String> {
        if self.word("keyspace") {
            let if_not_exists = self.if_words(&["not", "exists"])?;
            return Ok(Statement::CreateKeyspace { name: self.name()?, if_not_exists });
        }
        if !self.word("table") {
            return Err("only keyspaces and tables can be created here".to_owned());
        }
        let if_not_exists = self.if_words(&["not", "exists"])?;
        let mut table = CreateTable {
            name: self.table()?,
            columns: Vec::new(),
            partition: Vec::new(),
            clustering: Vec::new(),
            if_not_exists,
        };
        self.expect('(')?;
        loop {
            if self.word("primary") {
                self.primary_key(&mut table)?;
            } else {
                self.column(&mut table)?;
            }
            if !self.sign(',') {
                break;
            }
        }
        self.expect(')')?;
        if table.partition.is_empty() {
            return Err("a table without a primary key".to_owned());
        }
        Ok(Statement::CreateTable(table))
    }

    fn primary_key(&mut self, table: &mut CreateTable) -> Result<(), String> {
        self.expect_word("key")?;
        self.expect('(')?;
        if self.sign('(') {
            table.partition = self.names()?;
            self.expect(')')?;
        } else {
            table.partition = vec![self.name()?];
        }
        if self.sign(',') {
            table.clustering = self.names()?;
        }
        self.expect(')')
    }

    fn column(&mut self, table: &mut CreateTable) -> Result<(), String> {
        let name = self.name()?;
        let ty = self.ty()?;
        if self.word("primary") {
            self.expect_word("key")?;
            table.partition = vec![name.clone()];
        }
        table.columns.push((name, ty));
        Ok(())
    }

    /// A type: a name, with anything in angle brackets after it.
    fn ty(&mut self) -> Result<Type, String> {
        let (mut text, mut depth) = (self.name()?, 0_usize);
        while depth > 0 || self.tokens.first() == Some(&Token::Sign('<')) {
            match self.next()? {
                Token::Name(part) | Token::Literal(part) => text.push_str(part),
                Token::Sign(sign) => {
                    text.push(*sign);
                    match sign {
                        '<' => depth += 1,
                        '>' => depth -= 1,
                        _ => {}
                    }
                }
                other => return Err(format!("{other:?} in a type")),
            }
        }
        Type::parse(&text).map_err(|error| error.to_string())
    }

    fn drop_something(&mut self) -> Result<Statement, String> {
        if self.word("keyspace") {
            let if_exists = self.if_words(&["exists"])?;
            return Ok(Statement::DropKeyspace { name: self.name()?, if_exists });
        }
        self.expect_word("table")?;
        let if_exists = self.if_words(&["exists"])?;
        Ok(Statement::DropTable { name: self.table()?, if_exists })
    }
}
