//! The functions that JavaScript sees.

#![expect(unsafe_code, reason = "each is made of a C function")]

use crate::js::Export;
use crate::js::call::export;
use crate::{calls, expression, key, many, operation, query, setup, testing, verbs};

/// The functions that the package calls, in `node/src/native.ts` under the same names.
pub const EXPORTS: &[Export] = &[
    export!("setup", setup::setup),
    export!("space", setup::space),
    export!("connect", verbs::connection::connect),
    export!("close", verbs::connection::close),
    export!("nodes", verbs::connection::nodes),
    export!("digest", key::digest),
    export!("shape", setup::shape),
    export!("get", verbs::single::get),
    export!("exists", verbs::single::exists),
    export!("write", verbs::single::write),
    export!("remove", verbs::single::delete),
    export!("touch", verbs::single::touch),
    export!("operate", verbs::single::operate),
    export!("apply", verbs::single::apply),
    export!("getMany", many::alike::get),
    export!("existsMany", many::alike::exists),
    export!("removeMany", many::alike::delete),
    export!("operateMany", many::alike::operate),
    export!("applyMany", many::alike::apply),
    export!("putMany", many::put::put),
    export!("batch", many::mixed::batch),
    export!("operation", operation::make::operation),
    export!("plainOperation", operation::make::plain),
    export!("expressionOperation", operation::make::of_expression),
    export!("step", calls::context::step),
    export!("expression", expression::make::expression),
    export!("expressionKind", expression::make::kind),
    export!("expressionText", expression::make::shown),
    export!("expressionBytes", expression::make::bytes),
    export!("clusterStart", testing::start),
    export!("clusterStop", testing::stop),
    export!("clusterKill", testing::kill),
    export!("clusterRestart", testing::restart),
    export!("clusterInject", testing::inject),
    export!("clusterClearFaults", testing::clear_faults),
    export!("clusterTruncate", testing::truncate),
    export!("clusterSettled", testing::is_settled),
    export!("clusterAlive", testing::is_alive),
    export!("clusterStats", testing::stats),
    export!("query", query::calls::query),
    export!("queryRead", query::calls::read),
    export!("queryWait", query::calls::wait),
    export!("queryCursor", query::calls::cursor),
    export!("queryOver", query::calls::over),
    export!("queryClose", query::calls::close),
];
