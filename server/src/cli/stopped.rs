//! The database of a data directory that no server has open.

use super::failure::{CommandFailure, Result};
use super::starting;
use logstead_accounts::Meta;
use logstead_config::settings::Settings;
use logstead_flow::machine::lock::DataLock;
use logstead_flow::machine::rights;

/// A data directory, which is locked as long as this exists.
pub(super) struct StoppedServer {
    pub(super) settings: Settings,
    pub(super) meta: Meta,
    _lock: DataLock,
}

impl StoppedServer {
    pub(super) fn open(settings: Settings) -> Result<StoppedServer> {
        rights::keep_to_owner();
        let data = &settings.data;
        if !starting::database(data).exists() && !data.join("logspaces").is_dir() {
            let data = data.display();
            return Err(CommandFailure::environment(format!(
                "{data} is not a data directory: `logstead serve --router FILE --data {data}` creates one"
            )));
        }
        let lock = DataLock::acquire(data)?;
        let meta = starting::open(data, starting::DatabaseChoice::Last)?;
        Ok(StoppedServer { settings, meta, _lock: lock })
    }
}
