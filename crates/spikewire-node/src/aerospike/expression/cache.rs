//! A cache of recently created expressions. Most are built part by part, so what is decoded was
//! mostly encoded a moment before.

use std::cell::RefCell;
use std::hash::BuildHasher as _;

use rustc_hash::FxBuildHasher;
use spikewire_aerospike_protocol::expression::Expression as Tree;

use crate::js::Result;

/// The number of expressions cached per thread.
const SLOTS: usize = 64;
/// Longer ones are not cached.
const LONGEST: usize = 1 << 16;

/// An expression and its image.
type Entry = Option<(Vec<u8>, Tree)>;

thread_local! {
    static TREES: RefCell<[Entry; SLOTS]> = const { RefCell::new([const { None }; SLOTS]) };
}

fn slot(image: &[u8]) -> usize {
    FxBuildHasher.hash_one(image) as usize % SLOTS
}

/// Caches an expression with its image.
pub fn keep(image: Vec<u8>, tree: &Tree) {
    if image.len() <= LONGEST {
        let slot = slot(&image);
        TREES.with_borrow_mut(|trees| trees[slot] = Some((image, tree.clone())));
    }
}

/// The expression with this image.
pub fn tree(image: Vec<u8>) -> Result<Tree> {
    let known = TREES.with_borrow(|trees| match &trees[slot(&image)] {
        Some((known, tree)) if *known == image => Some(tree.clone()),
        _ => None,
    });
    if let Some(tree) = known {
        return Ok(tree);
    }
    let tree = Tree::from_image(&image)?;
    keep(image, &tree);
    Ok(tree)
}
