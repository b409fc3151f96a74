//! The columns of CQL results and the JavaScript functions that make their rows: one function per
//! list of columns, called with the values as arguments. Setting properties from here would cost
//! several times as much.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use spikewire_cassandra::statement::Shape;
use spikewire_cql::response::Column;

use super::notation::type_text;
use crate::hooks::cql::Hooks;
use crate::js::{Env, Function, Result};

/// The maximum number of cached lists of columns; when it is reached, the cache is cleared.
const MOST: usize = 1024;
/// Up to this many columns, values are passed as separate arguments; beyond it, in an array.
pub const WIDEST: usize = 64;
/// The maximum number of values per call.
const ROOM: usize = 96;

/// The columns of a result.
#[derive(Debug)]
pub struct Columns {
    /// The shape they belong to; kept so that its address cannot be reused.
    shape: Arc<Shape>,
    /// The conversion that they are for; 0: none.
    conversion: u32,
    /// The columns in JavaScript.
    pub object: Function,
    /// `(rows, ...values)`: appends a row.
    pub one: Function,
    /// `(rows, ...values)`: appends [`Columns::together`] rows.
    pub many: Function,
    /// `(slot, node, ...values)`: resolves a call whose result has one row; not for more than
    /// [`WIDEST`] columns.
    pub alone: Function,
    /// The number of rows made in one call.
    pub together: usize,
}

/// A cache of columns.
#[derive(Debug, Default)]
pub struct ColumnsCache {
    /// Prepared statements return the same shape, found by its address.
    by_address: RefCell<FxHashMap<(usize, u32), Rc<Columns>>>,
    by_names: RefCell<FxHashMap<u64, Rc<Columns>>>,
}

impl ColumnsCache {
    /// The columns of a result.
    #[inline]
    pub fn of(
        &self,
        env: Env<'_>,
        hooks: &Hooks,
        shape: &Arc<Shape>,
        conversion: u32,
    ) -> Result<Rc<Columns>> {
        if let Some(columns) = self.by_address.borrow().get(&(address(shape), conversion)) {
            return Ok(columns.clone());
        }
        self.find(env, hooks, shape, conversion)
    }

    fn find(
        &self,
        env: Env<'_>,
        hooks: &Hooks,
        shape: &Arc<Shape>,
        conversion: u32,
    ) -> Result<Rc<Columns>> {
        let names = hash_of(&shape.columns, conversion);
        if let Some(columns) = self.by_names.borrow().get(&names)
            && columns.conversion == conversion
            && *columns.shape.columns == *shape.columns
        {
            return Ok(columns.clone());
        }
        if self.by_names.borrow().len() >= MOST || self.by_address.borrow().len() >= MOST {
            self.forget(env);
        }
        let columns = Rc::new(Columns::new(env, hooks, shape, conversion)?);
        self.by_address.borrow_mut().insert((address(shape), conversion), columns.clone());
        // An entry that is replaced here can still be found by its address.
        self.by_names.borrow_mut().insert(names, columns.clone());
        Ok(columns)
    }

    fn forget(&self, env: Env<'_>) {
        self.by_names.borrow_mut().clear();
        for (_, columns) in self.by_address.borrow_mut().drain() {
            columns.object.let_go(env);
            columns.one.let_go(env);
            columns.many.let_go(env);
            columns.alone.let_go(env);
        }
    }
}

fn address(shape: &Arc<Shape>) -> usize {
    Arc::as_ptr(shape).addr()
}

fn hash_of(columns: &[Column], conversion: u32) -> u64 {
    let mut hasher = FxHasher::default();
    conversion.hash(&mut hasher);
    columns.iter().for_each(|column| column.name.hash(&mut hasher));
    hasher.finish()
}

impl Columns {
    fn new(env: Env<'_>, hooks: &Hooks, shape: &Arc<Shape>, conversion: u32) -> Result<Self> {
        let columns = &shape.columns;
        let strings = |text: &dyn Fn(&Column) -> String| {
            env.array_of(columns.iter().map(|column| env.string(&text(column))))
        };
        let together = (ROOM / columns.len().max(1)).clamp(1, 16);
        let together = if columns.len() > WIDEST { 1 } else { together };
        let arguments = [
            strings(&|column| column.name.to_string())?,
            strings(&|column| type_text(&column.ty, conversion))?,
            strings(&|column| column.keyspace.to_string())?,
            strings(&|column| column.table.to_string())?,
            env.uint32(together as u32)?,
            env.boolean(columns.len() > WIDEST)?,
            env.uint32(conversion)?,
        ];
        // The columns, and the functions.
        let parts = hooks.make_shape.call(env, &arguments)?;
        Ok(Self {
            shape: shape.clone(),
            conversion,
            object: Function::keep(parts.element(0)?)?,
            one: Function::keep(parts.element(1)?)?,
            many: Function::keep(parts.element(2)?)?,
            alone: Function::keep(parts.element(3)?)?,
            together,
        })
    }
}
