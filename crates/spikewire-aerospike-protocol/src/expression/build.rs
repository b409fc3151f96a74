//! Building expression trees. Every operator checks the types of its operands, sets the type of
//! bins that have none yet, and rejects incompatible types.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::chain::SharedNode;
use super::op::Signature;
use super::{
    Argument, Call, Constant, DEPTH, Expression, Fault, Meta, Node, Op, PathCall, PathOperation,
    SIZE, Type,
};
use crate::value::Value;
use crate::{limits, msgpack};

/// The operand types that `op` expects (`None`: any) and its result type.
struct Rule {
    operands: Vec<Option<Type>>,
    result: Option<Type>,
}

/// The rule for `op` with operands of these types.
fn rule(op: Op, kinds: &[Option<Type>]) -> Result<Rule, Fault> {
    let count = kinds.len();
    let takes = |fits: bool, expected: &str| {
        if fits {
            Ok(())
        } else {
            Err(Fault::of_value(format!("`{}` takes {expected}, not {count}", op.word())))
        }
    };
    let all = |kind| vec![kind; count];
    Ok(match op.signature() {
        Signature::Compare => {
            takes(count == 2, "two operands")?;
            let kind = same(op, kinds.iter().copied())?;
            if let Some(kind @ (Type::Geo | Type::Hll)) = kind {
                return Err(Fault::of_type(format!("`{}` does not compare {kind}", op.word())));
            }
            Rule { operands: all(kind), result: Some(Type::Bool) }
        }
        Signature::Geo => {
            takes(count == 2, "two operands")?;
            Rule { operands: all(Some(Type::Geo)), result: Some(Type::Bool) }
        }
        Signature::In => {
            takes(count == 2, "two operands")?;
            Rule { operands: vec![kinds[0], Some(Type::List)], result: Some(Type::Bool) }
        }
        Signature::Bools => {
            takes(count >= 2, "two operands or more")?;
            Rule { operands: all(Some(Type::Bool)), result: Some(Type::Bool) }
        }
        Signature::Numbers | Signature::Number => {
            takes(count == 1 || op.signature() == Signature::Numbers && count > 1, "an operand")?;
            let kind = same(op, kinds.iter().copied())?;
            if let Some(kind) = kind
                && !matches!(kind, Type::Int | Type::Float)
            {
                let word = op.word();
                return Err(Fault::of_type(format!("`{word}` takes INT or FLOAT, not {kind}")));
            }
            Rule { operands: all(kind), result: kind }
        }
        Signature::Fixed(types) => {
            let (result, operands) = types.split_last().expect("a result");
            takes(count == operands.len(), if count == 1 { "two operands" } else { "an operand" })?;
            Rule { operands: operands.iter().copied().map(Some).collect(), result: Some(*result) }
        }
        Signature::Text => {
            takes(count == 1, "an operand")?;
            if let Some(kind) = kinds[0]
                && !matches!(kind, Type::Int | Type::Float | Type::Str | Type::Blob)
            {
                let word = op.word();
                return Err(Fault::of_type(format!(
                    "`{word}` takes INT, FLOAT, STRING or BLOB, not {kind}"
                )));
            }
            Rule { operands: vec![kinds[0]], result: Some(Type::Str) }
        }
        Signature::Ints => {
            takes(count >= 1, "an operand or more")?;
            Rule { operands: all(Some(Type::Int)), result: Some(Type::Int) }
        }
        Signature::Cond => {
            takes(count >= 3 && count % 2 == 1, "tests and values by turns and a last value")?;
            let kind = same(op, values(kinds).map(|(_, kind)| *kind))?;
            let mut operands = all(Some(Type::Bool));
            for (at, _) in values(kinds) {
                operands[at] = kind;
            }
            Rule { operands, result: kind }
        }
    })
}

/// The value operands of a `cond`.
fn values<T>(operands: &[T]) -> impl Iterator<Item = (usize, &T)> {
    let last = operands.len() - 1;
    operands.iter().enumerate().filter(move |(at, _)| at % 2 == 1 || *at == last)
}

/// The only known type among these; a fault if there are several.
fn same(op: Op, kinds: impl Iterator<Item = Option<Type>>) -> Result<Option<Type>, Fault> {
    let mut known: Option<Type> = None;
    for kind in kinds.flatten() {
        match known {
            Some(known) if known != kind => {
                return Err(Fault::of_type(format!(
                    "`{}` needs operands of one type, not {known} and {kind}",
                    op.word()
                )));
            }
            _ => known = Some(kind),
        }
    }
    Ok(known)
}

/// Checks a bin name.
fn bin_name(name: &[u8]) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(name);
    if name.is_empty() {
        return Err(Fault::of_value("a bin name must not be empty"));
    }
    if name.len() > limits::BIN_NAME {
        return Err(Fault::of_value(format!(
            "the bin name {text:?} is {} bytes long; the server's limit is {}",
            name.len(),
            limits::BIN_NAME
        )));
    }
    if name.contains(&0) {
        return Err(Fault::of_value(format!("the bin name {text:?} contains a NUL character")));
    }
    Ok(())
}

impl Expression {
    /// An expression of `node`, whose parts have been checked.
    pub(super) fn make(node: Node, kind: Option<Type>) -> Result<Self, Fault> {
        let (mut depth, mut weight, mut own) = (0, 0, 8);
        let mut child = |child: &Self| {
            depth = depth.max(child.depth);
            weight += child.weight;
        };
        match &node {
            Node::Apply(_, operands) => operands.iter().for_each(&mut child),
            Node::Regex { on, pattern, .. } => {
                child(on);
                own += pattern.len();
            }
            Node::Let(definitions, scope) => {
                child(scope);
                for (name, definition) in definitions {
                    child(definition);
                    own += name.len();
                }
            }
            Node::Call(call) => {
                child(&call.on);
                own += call.context.as_ref().map_or(0, Vec::len);
                for argument in &call.arguments {
                    match argument {
                        Argument::Raw(raw) => own += raw.len(),
                        Argument::Expression(argument) => child(argument),
                    }
                }
            }
            Node::Path(call) => {
                child(&call.on);
                if let Some(operation) = &call.operation {
                    operation.expressions().for_each(&mut child);
                    own += operation.weight();
                }
            }
            Node::Constant(Constant::Bytes(_, bytes) | Constant::Packed(_, bytes)) => {
                own += bytes.len();
            }
            _ => {}
        }
        let weight = weight + own;
        Self::check_size(depth, weight)?;
        Ok(Self { node: SharedNode::new(node), kind, depth: depth + 1, weight })
    }

    fn check_size(depth: u16, weight: usize) -> Result<(), Fault> {
        // The encoding of operators takes less space than their weight here.
        if weight > 8 * SIZE {
            return Err(Fault::of_value("the expression is far larger than a server accepts"));
        }
        if depth >= DEPTH {
            return Err(Fault::of_value(format!("the expression is nested deeper than {DEPTH}")));
        }
        Ok(())
    }

    /// An expression without parts.
    pub(super) fn leaf(node: Node, kind: Option<Type>) -> Self {
        Self { node: SharedNode::new(node), kind, depth: 1, weight: 16 }
    }

    /// Converts an integer constant to a float if the other operand is one and the conversion is
    /// exact.
    #[must_use]
    pub fn aligned(self, other: &Self) -> Self {
        if self.depth > 1 {
            return self;
        }
        match self.node() {
            Node::Constant(Constant::Int(int))
                if other.kind() == Some(Type::Float) && *int == (*int as f64) as i64 =>
            {
                Self::from(*int as f64)
            }
            _ => self,
        }
    }

    /// Evaluates to "unknown".
    pub fn unknown() -> Self {
        Self::leaf(Node::Unknown, None)
    }

    /// A constant. Strings are not checked for UTF-8, packed values not at all.
    pub fn constant(constant: Constant) -> Result<Self, Fault> {
        let kind = constant.kind();
        Self::make(Node::Constant(constant), Some(kind))
    }

    /// A bin without a type; the expression that uses it sets the type.
    pub fn bin(name: impl AsRef<[u8]>) -> Result<Self, Fault> {
        bin_name(name.as_ref())?;
        Ok(Self::leaf(Node::Bin(None, name.as_ref().to_vec()), None))
    }

    /// A bin of a type; "unknown" if it is missing or of another type.
    pub fn typed_bin(kind: Type, name: impl AsRef<[u8]>) -> Result<Self, Fault> {
        bin_name(name.as_ref())?;
        if kind == Type::Nil {
            return Err(Fault::of_type("no bin is of type NIL"));
        }
        Ok(Self::leaf(Node::Bin(Some(kind), name.as_ref().to_vec()), Some(kind)))
    }

    /// The particle type of a bin, 0 if it is missing.
    pub fn bin_type(name: impl AsRef<[u8]>) -> Result<Self, Fault> {
        bin_name(name.as_ref())?;
        Ok(Self::leaf(Node::BinType(name.as_ref().to_vec()), Some(Type::Int)))
    }

    /// The stored user key; "unknown" if none of this type is stored.
    pub fn key(kind: Type) -> Result<Self, Fault> {
        if !matches!(kind, Type::Int | Type::Str | Type::Blob) {
            return Err(Fault::of_type(format!("a user key is INT, STRING or BLOB, not {kind}")));
        }
        Ok(Self::leaf(Node::Key(kind), Some(kind)))
    }

    /// Metadata of the record.
    pub fn meta(meta: Meta) -> Self {
        Self::leaf(Node::Meta(meta), Some(meta.kind()))
    }

    /// The last four bytes of the digest modulo `divisor`.
    pub fn digest_modulo(divisor: i64) -> Result<Self, Fault> {
        if divisor == 0 {
            return Err(Fault::of_value("a digest modulo 0 has no value"));
        }
        Ok(Self::leaf(Node::DigestModulo(divisor), Some(Type::Int)))
    }

    /// Whether a string matches a POSIX pattern. `flags`: 1 extended, 2 ignore case, 4
    /// newline-sensitive.
    pub fn regex(on: Self, pattern: impl Into<Vec<u8>>, flags: i64) -> Result<Self, Fault> {
        let pattern = pattern.into();
        if pattern.contains(&0) {
            return Err(Fault::of_value("a pattern must not contain a NUL character"));
        }
        let on = on.refined(Type::Str, "a pattern match")?;
        Self::make(Node::Regex { flags, pattern, on }, Some(Type::Bool))
    }

    /// An operator applied to operands. Bins without a type get the one it expects.
    pub fn apply(op: Op, operands: Vec<Self>) -> Result<Self, Fault> {
        let kinds: Vec<_> = operands.iter().map(|operand| operand.kind).collect();
        let rule = rule(op, &kinds)?;
        let what = format!("`{}`", op.word());
        let operands = operands
            .into_iter()
            .zip(rule.operands)
            .map(|(operand, expected)| match expected {
                Some(expected) => operand.refined(expected, &what),
                None => Ok(operand),
            })
            .collect::<Result<_, _>>()?;
        Self::make(Node::Apply(op, operands), rule.result)
    }

    /// An operator between two operands. An operand that is itself a chain of the same operator is
    /// extended, so that long chains do not nest deeply. The time for that does not grow with the
    /// length of the chain.
    pub fn join(op: Op, left: Self, right: Self) -> Result<Self, Fault> {
        let chains = matches!(op, Op::And | Op::Or | Op::Add | Op::Mul);
        if !chains || !left.node.is_chain_of(op) {
            return Self::apply(op, vec![left, right]);
        }
        if left.kind.is_none() && right.kind.is_some() {
            // The type of the new operand becomes that of all before.
            let Node::Apply(_, operands) = left.node() else { return Ok(left) };
            let operands = operands.iter().cloned().chain([right]).collect();
            return Self::apply(op, operands);
        }
        let kind = rule(op, &[left.kind, right.kind])?.result;
        let right = match left.kind {
            Some(kind) => right.refined(kind, &format!("`{}`", op.word()))?,
            None => right,
        };
        let depth = (left.depth - 1).max(right.depth);
        let weight = left.weight + right.weight;
        Self::check_size(depth, weight)?;
        let node = SharedNode::longer(op, left.node, right);
        Ok(Self { node, kind, depth: depth + 1, weight })
    }

    /// The value of a variable defined by [`Expression::bind`]; it has the type of its definition.
    pub fn var(name: impl AsRef<[u8]>) -> Result<Self, Fault> {
        if name.as_ref().is_empty() {
            return Err(Fault::of_value("a variable must have a name"));
        }
        Ok(Self::leaf(Node::Var(name.as_ref().to_vec()), None))
    }

    /// Defines variables, in order, for use in an expression. Later definitions can use earlier
    /// ones.
    pub fn bind(definitions: Vec<(Vec<u8>, Self)>, scope: Self) -> Result<Self, Fault> {
        if definitions.is_empty() {
            return Err(Fault::of_value("`let` needs a variable"));
        }
        let mut names = HashSet::new();
        for (name, _) in &definitions {
            if name.is_empty() {
                return Err(Fault::of_value("a variable must have a name"));
            }
            if !names.insert(name) {
                return Err(twice(name));
            }
        }
        let kind = scope.kind;
        Self::make(Node::Let(definitions, scope), kind)
    }

    /// Sets the type of this expression, if it has none yet. `what` names the user of the
    /// expression in errors.
    pub fn refined(self, expected: Type, what: &str) -> Result<Self, Fault> {
        let type_error = |kind| Fault::of_type(format!("{what} takes {expected}, not {kind}"));
        match self.kind {
            Some(kind) if kind == expected => return Ok(self),
            Some(kind) => return Err(type_error(kind)),
            None => {}
        }
        match self.node() {
            Node::Bin(None, name) => Self::typed_bin(expected, name),
            Node::Loop(None, part) => Self::loop_var(Some(expected), *part),
            Node::Path(call) => {
                let on = call.on.clone().refined(expected, what)?;
                let call = PathCall { result: Some(expected), on, ..call.clone() };
                Self::path_call(call)
            }
            Node::Call(call) => {
                let call = Call { result: Some(expected), ..call.clone() };
                Self::make(Node::Call(call), Some(expected))
            }
            Node::Apply(op, operands) => {
                let mut operands = operands.clone();
                if op.signature() == Signature::Cond {
                    let at: Vec<usize> = values(&operands).map(|(at, _)| at).collect();
                    for at in at {
                        operands[at] = operands[at].clone().refined(expected, what)?;
                    }
                } else {
                    if !matches!(expected, Type::Int | Type::Float) {
                        return Err(Fault::of_type(format!(
                            "{what} takes {expected}, not what `{}` gives",
                            op.word()
                        )));
                    }
                    for operand in &mut operands {
                        *operand = operand.clone().refined(expected, what)?;
                    }
                }
                Self::make(Node::Apply(*op, operands), Some(expected))
            }
            Node::Let(definitions, scope) => {
                let scope = scope.clone().refined(expected, what)?;
                let kind = scope.kind;
                Self::make(Node::Let(definitions.clone(), scope), kind)
            }
            // "Unknown" has any type; the type of a variable is known at its definition.
            _ => Ok(self),
        }
    }

    /// A variable that is redefined in its own scope or within its own definition.
    pub fn redefined(&self) -> Option<&[u8]> {
        self.redefined_in(&mut HashSet::new())
    }

    fn redefined_in<'a>(&'a self, names: &mut HashSet<&'a [u8]>) -> Option<&'a [u8]> {
        match self.node() {
            Node::Apply(_, operands) => {
                operands.iter().find_map(|operand| operand.redefined_in(names))
            }
            Node::Regex { on, .. } => on.redefined_in(names),
            Node::Let(definitions, scope) => {
                for (name, definition) in definitions {
                    if !names.insert(name) {
                        return Some(name);
                    }
                    if let Some(name) = definition.redefined_in(names) {
                        return Some(name);
                    }
                }
                let redefined = scope.redefined_in(names);
                for (name, _) in definitions {
                    names.remove(name.as_slice());
                }
                redefined
            }
            Node::Call(call) => call.on.redefined_in(names).or_else(|| {
                call.arguments.iter().find_map(|argument| match argument {
                    Argument::Expression(argument) => argument.redefined_in(names),
                    Argument::Raw(_) => None,
                })
            }),
            // Paths have variables of their own.
            Node::Path(call) => call.on.redefined_in(names).or_else(|| {
                let operation = call.operation.as_ref()?;
                operation.expressions().find_map(|inside| inside.redefined())
            }),
            _ => None,
        }
    }

    /// Checks the complete expression: every type is known and every variable defined. Returns its
    /// type, `None` if it is always "unknown".
    pub fn check(&self) -> Result<Option<Type>, Fault> {
        if let Some(name) = self.redefined() {
            return Err(twice(name));
        }
        self.check_in(&mut HashMap::new())
    }

    fn check_in<'a>(
        &'a self,
        names: &mut HashMap<&'a [u8], Option<Type>>,
    ) -> Result<Option<Type>, Fault> {
        match self.node() {
            Node::Bin(None, name) => Err(Fault::of_type(format!(
                "nothing says of which type bin {:?} is",
                String::from_utf8_lossy(name)
            ))),
            Node::Apply(op, operands) => {
                let mut kinds = Vec::with_capacity(operands.len());
                for operand in operands {
                    kinds.push(operand.check_in(names)?);
                }
                let rule = rule(*op, &kinds)?;
                for (kind, expected) in kinds.iter().zip(rule.operands) {
                    fits(*kind, expected, op.word())?;
                }
                fits(rule.result, self.kind, op.word())?;
                Ok(rule.result)
            }
            Node::Regex { on, .. } => {
                fits(on.check_in(names)?, Some(Type::Str), "=~")?;
                Ok(self.kind)
            }
            Node::Var(name) => names.get(name.as_slice()).copied().ok_or_else(|| {
                let name = String::from_utf8_lossy(name);
                Fault::of_value(format!("the variable {name:?} is not defined"))
            }),
            Node::Let(definitions, scope) => {
                for (name, definition) in definitions {
                    let kind = definition.check_in(names)?;
                    names.insert(name, kind);
                }
                let kind = scope.check_in(names)?;
                for (name, _) in definitions {
                    names.remove(name.as_slice());
                }
                Ok(kind)
            }
            Node::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Expression(argument) = argument {
                        argument.check_in(names)?;
                    }
                }
                let on = call.on.check_in(names)?;
                Self::fits(call, on)?;
                if call.result.is_none() {
                    return Err(Fault::of_type(format!("nothing says of which type {self} is")));
                }
                Ok(self.kind)
            }
            Node::Loop(None, part) => Err(Fault::of_type(format!(
                "nothing says of which type the loop variable {} is",
                part.word()
            ))),
            Node::Path(call) => {
                for inside in call.operation.iter().flat_map(PathOperation::expressions) {
                    inside.check()?;
                }
                call.on.check_in(names)?;
                if call.result.is_none() {
                    return Err(Fault::of_type(format!("nothing says of which type {self} is")));
                }
                Ok(self.kind)
            }
            _ => Ok(self.kind),
        }
    }
}

fn fits(kind: Option<Type>, expected: Option<Type>, what: &str) -> Result<(), Fault> {
    match (kind, expected) {
        (Some(kind), Some(expected)) if kind != expected => {
            Err(Fault::of_type(format!("`{what}` takes {expected}, not {kind}")))
        }
        _ => Ok(()),
    }
}

fn twice(name: &[u8]) -> Fault {
    let name = String::from_utf8_lossy(name);
    Fault::of_value(format!("the variable {name:?} is defined twice"))
}

/// Converts a value to a constant. Maps are ordered by key: other maps never compare as equal.
pub fn constant(value: &Value) -> Result<Constant, Fault> {
    let packed = |kind| {
        let mut out = Vec::new();
        pack(value, &mut out, limits::NESTING)?;
        Ok(Constant::Packed(kind, out))
    };
    Ok(match value {
        Value::Nil => Constant::Nil,
        Value::Bool(flag) => Constant::Bool(*flag),
        Value::Int(int) => Constant::Int(*int),
        Value::Float(float) => Constant::Float(*float),
        Value::Str(text) => Constant::Bytes(Type::Str, text.clone().into_bytes()),
        Value::Bytes(bytes) => Constant::Bytes(Type::Blob, bytes.clone()),
        Value::GeoJson(text) => Constant::Bytes(Type::Geo, text.clone().into_bytes()),
        Value::Hll(bytes) => Constant::Bytes(Type::Hll, bytes.clone()),
        Value::List(_) => return packed(Type::List),
        Value::Map(_) => return packed(Type::Map),
    })
}

fn pack(value: &Value, out: &mut Vec<u8>, depth: usize) -> Result<(), Fault> {
    let deeper = || depth.checked_sub(1).ok_or_else(|| Fault::of_value("a value nested too deep"));
    match value {
        Value::List(items) => {
            let depth = deeper()?;
            msgpack::array(out, items.len() as u32);
            for item in items {
                pack(item, out, depth)?;
            }
        }
        Value::Map(pairs) if !pairs.is_empty() => {
            let depth = deeper()?;
            let mut sorted: Vec<_> = pairs.iter().collect();
            for (key, _) in &sorted {
                if !matches!(key, Value::Int(_) | Value::Str(_) | Value::Bytes(_)) {
                    return Err(Fault::of_type("a map key must be INT, STRING or BLOB"));
                }
            }
            sorted.sort_by(|(a, _), (b, _)| by_key(a, b));
            if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Fault::of_value("a map key that comes twice"));
            }
            msgpack::map(out, sorted.len() as u32 + 1);
            out.extend_from_slice(&[0xc7, 0, 1, 0xc0]);
            for (key, value) in sorted {
                pack(key, out, depth)?;
                pack(value, out, depth)?;
            }
        }
        scalar => scalar.encode_nested(out),
    }
    Ok(())
}

/// The order of map keys: integers, strings, blobs.
pub(super) fn by_key(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Str(a), Value::Str(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Int(_), _) | (Value::Str(_), Value::Bytes(_)) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

impl TryFrom<&Value> for Expression {
    type Error = Fault;

    fn try_from(value: &Value) -> Result<Self, Fault> {
        Self::constant(constant(value)?)
    }
}

impl From<i64> for Expression {
    fn from(int: i64) -> Self {
        Self::leaf(Node::Constant(Constant::Int(int)), Some(Type::Int))
    }
}

impl From<f64> for Expression {
    fn from(float: f64) -> Self {
        Self::leaf(Node::Constant(Constant::Float(float)), Some(Type::Float))
    }
}

impl From<bool> for Expression {
    fn from(flag: bool) -> Self {
        Self::leaf(Node::Constant(Constant::Bool(flag)), Some(Type::Bool))
    }
}
