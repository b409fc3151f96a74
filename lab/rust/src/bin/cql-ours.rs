//! The module `spikewire::cql` under load, on tokio.

use rust_peers::CallError;
use rust_peers::cql::{CqlClient, Item, Target, Wide};
use spikewire::cql::{AsyncSession, Error, Kind, Pem, Prepared, Session, Tls, TlsOptions};

struct Ours {
    session: AsyncSession,
    statement: Prepared,
}

impl CqlClient for Ours {
    const VERSION_OF: &'static str = "spikewire";

    async fn open(target: &Target<'_>) -> Result<Self, String> {
        let mut builder = Session::builder().page_size(target.page_size);
        let access = target.access;
        if !access.user.is_empty() {
            builder = builder.credentials(access.user.as_str(), access.password.as_str());
        }
        if let Some(tls) = &access.tls {
            let file = |path: &String| (!path.is_empty()).then(|| Pem::File(path.into()));
            let options = TlsOptions {
                authorities: file(&tls.ca).into_iter().collect(),
                identity: file(&tls.certificate).zip(file(&tls.key)),
                ..TlsOptions::default()
            };
            builder = builder.tls(Tls::new(&options).map_err(|error| error.to_string())?);
        }
        let address = target.address();
        let session = if std::env::var_os("SPIKEWIRE_NATIVE").is_some() {
            builder.connect_async(&address).await
        } else {
            builder.connect_tokio(&address).await
        }
        .map_err(|error| error.to_string())?;
        let prepared = session.prepare(target.statement).await;
        let statement = prepared.map_err(|error| error.to_string())?;
        Ok(Self { session, statement })
    }

    fn protocol(&self) -> String {
        format!("v{}", self.session.version().number())
    }

    async fn insert(&self, (id, number, payload): &Item) -> Result<(), CallError> {
        let values = (id.as_str(), *number, payload.as_slice());
        self.session.execute(&self.statement, values).await.map(drop).map_err(failed)
    }

    async fn select(&self, id: &str) -> Result<Item, CallError> {
        let result = self.session.execute(&self.statement, (id,)).await.map_err(failed)?;
        result.first().map_err(failed)?.ok_or_else(|| format!("{id}: no row").into())
    }

    async fn page(&self, partition: i32) -> Result<Vec<Wide>, CallError> {
        let result = self.session.execute(&self.statement, (partition,)).await.map_err(failed)?;
        result.rows_as().collect::<Result<_, _>>().map_err(failed)
    }
}

fn failed(error: Error) -> CallError {
    CallError { timed_out: error.kind() == Kind::Timeout, text: error.to_string() }
}

fn main() {
    rust_peers::cql::main::<Ours>();
}
