//! The shared nodes of expressions, and chains of one operator, which grow by one operand at a time
//! without copying those before.

use std::sync::{Arc, OnceLock};

use super::{Expression, Node, Op};

/// A node. That of a chain is assembled when it is first needed: a chain that is being built, such
/// as `a | b | c`, needs only the last one of its nodes.
#[derive(Debug)]
pub(super) struct SharedNode {
    node: OnceLock<Node>,
    chain: Option<Chain>,
}

/// An operator on the operands of a chain and one more.
#[derive(Debug)]
struct Chain {
    op: Op,
    /// The chain before, with at least two operands.
    before: Arc<SharedNode>,
    last: Expression,
}

impl SharedNode {
    pub fn new(node: Node) -> Arc<Self> {
        Arc::new(Self { node: OnceLock::from(node), chain: None })
    }

    /// A chain of `op` and its next operand.
    pub fn longer(op: Op, before: Arc<Self>, last: Expression) -> Arc<Self> {
        Arc::new(Self { node: OnceLock::new(), chain: Some(Chain { op, before, last }) })
    }

    pub fn node(&self) -> &Node {
        self.node.get_or_init(|| self.assemble())
    }

    /// Whether this is a chain of `op` with two operands or more.
    pub fn is_chain_of(&self, op: Op) -> bool {
        match (&self.chain, self.node.get()) {
            (Some(chain), _) => chain.op == op,
            (None, Some(Node::Apply(same, operands))) => *same == op && operands.len() > 1,
            _ => false,
        }
    }

    fn assemble(&self) -> Node {
        let (mut at, mut last_first, mut op) = (self, Vec::new(), Op::And);
        let mut operands = loop {
            match (at.node.get(), &at.chain) {
                (Some(Node::Apply(_, operands)), _) => break operands.clone(),
                (_, Some(chain)) => {
                    op = chain.op;
                    last_first.push(chain.last.clone());
                    at = &chain.before;
                }
                _ => break Vec::new(),
            }
        };
        operands.extend(last_first.into_iter().rev());
        Node::Apply(op, operands)
    }
}

impl Drop for SharedNode {
    /// Drops the chains before one after the other, not recursively.
    fn drop(&mut self) {
        let mut chain = self.chain.take();
        while let Some(Chain { before, .. }) = chain {
            chain = Arc::into_inner(before).and_then(|mut before| before.chain.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Type;
    use crate::expression::text::parse;

    fn bin(name: &str) -> Expression {
        Expression::bin(name).unwrap()
    }

    fn join(op: Op, left: &Expression, right: Expression) -> Expression {
        Expression::join(op, left.clone(), right).unwrap()
    }

    /// Building a chain of n operands took n² steps, one operator at a time and from text: here each
    /// step shares the one before, which is not even assembled.
    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn a_chain_is_built_in_linear_time() {
        for op in [Op::And, Op::Or, Op::Add, Op::Mul] {
            let kind = if matches!(op, Op::And | Op::Or) { Type::Bool } else { Type::Int };
            let operand = |at: usize| Expression::typed_bin(kind, format!("b{at}")).unwrap();
            let mut steps = vec![join(op, &operand(0), operand(1))];
            for at in 2..1000 {
                steps.push(join(op, steps.last().unwrap(), bin(&format!("b{at}"))));
            }
            for pair in steps.windows(2) {
                let chain = pair[1].node.chain.as_ref().unwrap();
                assert!(Arc::ptr_eq(&chain.before, &pair[0].node));
                assert!(pair[1].node.node.get().is_none());
            }
            // Every step is still what it was, in whatever order they are used.
            for at in [500, 998, 0, 499, 501] {
                let operands = (0..at + 2).map(operand).collect();
                assert_eq!(steps[at], Expression::apply(op, operands).unwrap());
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn long_chains_are_assembled_and_dropped_without_recursion() {
        let mut chain = join(Op::Or, &bin("a"), bin("b"));
        for _ in 0..100_000 {
            chain = join(Op::Or, &chain, bin("c"));
        }
        let Node::Apply(Op::Or, operands) = chain.node() else { panic!("{chain}") };
        assert_eq!(operands.len(), 100_002);
        assert_eq!(operands[100_001], Expression::typed_bin(Type::Bool, "c").unwrap());
        let fault =
            (0..500_000).try_fold(chain, |chain, _| Expression::join(Op::Or, chain, bin("c")));
        assert!(fault.unwrap_err().to_string().contains("far larger than a server accepts"));
    }

    /// Two chains may grow from one; the type of one operand is that of all.
    #[test]
    fn chains_branch_and_have_one_type() {
        let start = join(Op::Add, &join(Op::Add, &bin("a"), bin("b")), bin("c"));
        assert_eq!(start.kind(), None);
        let (ints, floats) = (join(Op::Add, &start, 1.into()), join(Op::Add, &start, 1.5.into()));
        assert_eq!(ints, parse("$.a:INT + $.b:INT + $.c:INT + 1", &[]).unwrap());
        assert_eq!(floats, parse("$.a:FLOAT + $.b:FLOAT + $.c:FLOAT + 1.5", &[]).unwrap());
        let longer = join(Op::Add, &ints, bin("d"));
        assert_eq!(longer.to_string(), "$.a:INT + $.b:INT + $.c:INT + 1 + $.d:INT");
        let fault = Expression::join(Op::Add, longer, 2.5.into()).unwrap_err();
        assert!(
            fault.to_string().contains("needs operands of one type, not INT and FLOAT"),
            "{fault}"
        );
        let truth = join(Op::And, &join(Op::And, &bin("a"), bin("b")), bin("c"));
        let fault = Expression::join(Op::And, truth.clone(), 1.into()).unwrap_err();
        assert!(fault.to_string().contains("takes BOOL, not INT"), "{fault}");
        assert_eq!(truth.clone().refined(Type::Bool, "a filter"), Ok(truth));
    }
}
