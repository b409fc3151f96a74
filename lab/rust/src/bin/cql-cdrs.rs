//! The crate `cdrs-tokio` under load.

use std::sync::Arc;

use cdrs_tokio::authenticators::StaticPasswordAuthenticatorProvider;
use cdrs_tokio::cluster::session::{Session, SessionBuilder as _, TcpSessionBuilder};
use cdrs_tokio::cluster::{NodeTcpConfigBuilder, TcpConnectionManager};
use cdrs_tokio::error::Error;
use cdrs_tokio::load_balancing::TopologyAwareLoadBalancingStrategy;
use cdrs_tokio::query::{PreparedQuery, QueryValues};
use cdrs_tokio::query_values;
use cdrs_tokio::statement::StatementParamsBuilder;
use cdrs_tokio::transport::TransportTcp;
use cdrs_tokio::types::blob::Blob;
use cdrs_tokio::types::rows::Row;
use cdrs_tokio::types::{ByIndex as _, IntoRustByIndex};
use rust_peers::CallError;
use rust_peers::cql::{CqlClient, Item, Target, Wide};

type Balancing = TopologyAwareLoadBalancingStrategy<TransportTcp, TcpConnectionManager>;

struct Cdrs {
    session: Session<TransportTcp, TcpConnectionManager, Balancing>,
    statement: PreparedQuery,
    page_size: i32,
}

impl Cdrs {
    async fn rows(&self, values: QueryValues) -> Result<Vec<Row>, CallError> {
        let params = StatementParamsBuilder::new()
            .with_values(values)
            .with_page_size(self.page_size)
            .build();
        let executed = self.session.exec_with_params(&self.statement, &params).await;
        let body = executed.map_err(failed)?.response_body().map_err(failed)?;
        body.into_rows().ok_or_else(|| "a reply without rows".to_owned().into())
    }
}

impl CqlClient for Cdrs {
    const VERSION_OF: &'static str = "cdrs-tokio";

    async fn open(target: &Target<'_>) -> Result<Self, String> {
        target.unencrypted()?;
        let mut config = NodeTcpConfigBuilder::new().with_contact_point(target.address().into());
        let access = target.access;
        if !access.user.is_empty() {
            let login = StaticPasswordAuthenticatorProvider::new(&access.user, &access.password);
            config = config.with_authenticator_provider(Arc::new(login));
        }
        let config = config.build().await.map_err(|error| error.to_string())?;
        let balancing = Balancing::new(None, false);
        let session = TcpSessionBuilder::new(balancing, config).build().await;
        let session = session.map_err(|error| error.to_string())?;
        let prepared = session.prepare(target.statement).await;
        let statement = prepared.map_err(|error| error.to_string())?;
        Ok(Self { session, statement, page_size: target.page_size as i32 })
    }

    async fn insert(&self, (id, number, payload): &Item) -> Result<(), CallError> {
        let values = query_values!(id.as_str(), *number, Blob::from(payload.as_slice()));
        let executed = self.session.exec_with_values(&self.statement, values).await;
        executed.map(drop).map_err(failed)
    }

    async fn select(&self, id: &str) -> Result<Item, CallError> {
        let rows = self.rows(query_values!(id)).await?;
        let row = rows.first().ok_or_else(|| format!("{id}: no row"))?;
        let payload: Blob = value(row, 2)?;
        Ok((value(row, 0)?, value(row, 1)?, payload.into_vec()))
    }

    async fn page(&self, partition: i32) -> Result<Vec<Wide>, CallError> {
        self.rows(query_values!(partition)).await?.iter().map(wide).collect()
    }
}

fn wide(row: &Row) -> Result<Wide, CallError> {
    let (part, place, a, b) = (value(row, 0)?, value(row, 1)?, value(row, 2)?, value(row, 3)?);
    let (c, d, e) = (value(row, 4)?, value(row, 5)?, value(row, 6)?);
    Ok((part, place, a, b, c, d, e, value(row, 7)?, value(row, 8)?, value(row, 9)?))
}

fn value<T>(row: &Row, at: usize) -> Result<T, CallError>
where
    Row: IntoRustByIndex<T>,
{
    row.r_by_index(at).map_err(failed)
}

fn failed(error: Error) -> CallError {
    CallError { timed_out: matches!(error, Error::Timeout(_)), text: error.to_string() }
}

fn main() {
    rust_peers::cql::main::<Cdrs>();
}
