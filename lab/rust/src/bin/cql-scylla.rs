//! The crate `scylla`, ScyllaDB's driver, under load.

use rust_peers::CallError;
use rust_peers::cql::{CqlClient, Item, Target, Wide};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::errors::ExecutionError;
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;

struct Scylla {
    session: Session,
    statement: PreparedStatement,
}

impl CqlClient for Scylla {
    const VERSION_OF: &'static str = "scylla";

    async fn open(target: &Target<'_>) -> Result<Self, String> {
        target.unencrypted()?;
        let mut builder = SessionBuilder::new().known_node(target.address());
        if !target.access.user.is_empty() {
            builder = builder.user(target.access.user.as_str(), target.access.password.as_str());
        }
        let session = builder.build().await.map_err(|error| error.to_string())?;
        let prepared = session.prepare(target.statement).await;
        let mut statement = prepared.map_err(|error| error.to_string())?;
        statement.set_page_size(target.page_size as i32);
        Ok(Self { session, statement })
    }

    async fn insert(&self, (id, number, payload): &Item) -> Result<(), CallError> {
        let values = (id.as_str(), *number, payload.as_slice());
        self.session.execute_unpaged(&self.statement, values).await.map(drop).map_err(failed)
    }

    async fn select(&self, id: &str) -> Result<Item, CallError> {
        let executed = self.session.execute_unpaged(&self.statement, (id,)).await;
        let rows = executed.map_err(failed)?.into_rows_result().map_err(unread)?;
        rows.first_row().map_err(unread)
    }

    async fn page(&self, partition: i32) -> Result<Vec<Wide>, CallError> {
        let start = PagingState::start();
        let page = self.session.execute_single_page(&self.statement, (partition,), start).await;
        let rows = page.map_err(failed)?.0.into_rows_result().map_err(unread)?;
        rows.rows().map_err(unread)?.collect::<Result<_, _>>().map_err(unread)
    }
}

fn failed(error: ExecutionError) -> CallError {
    let timed_out = matches!(error, ExecutionError::RequestTimeout(_));
    CallError { timed_out, text: error.to_string() }
}

fn unread(error: impl std::error::Error) -> CallError {
    error.to_string().into()
}

fn main() {
    rust_peers::cql::main::<Scylla>();
}
