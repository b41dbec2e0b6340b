//! The server that files are applied to: a running one, or this process while it starts (`serve/own_api`).

use crate::cli::failure::Result;
use crate::cli::remote::Remote;
use crate::cli::router;
use serde_json::Value;

/// The requests that applying files makes.
pub(in crate::cli) trait ApplyTarget {
    /// The name of the caller's own account, which is never removed.
    fn own_name(&self) -> Result<String>;
    /// Sends a GET request; returns its JSON.
    fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Value>;
    /// Sends a request, with JSON if there is a body; returns the JSON of the answer, null if it has none.
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value>;
    /// The ETag and the text of the live router document.
    fn document(&self) -> Result<(String, String)>;
    /// The answer about a router document; an error if the document is wrong.
    fn validation(&self, toml: &str) -> Result<Value>;
    fn put_document(&self, toml: &str, tag: &str, comment: &str) -> Result<()>;
}

impl ApplyTarget for Remote {
    fn own_name(&self) -> Result<String> {
        let session = self.ask("session", &[])?;
        Ok(session["user"]["name"].as_str().unwrap_or_default().to_owned())
    }

    fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        self.ask(path, parameters)
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        self.call(method, path, body)
    }

    fn document(&self) -> Result<(String, String)> {
        router::remote_document(self, None)
    }

    fn validation(&self, toml: &str) -> Result<Value> {
        router::remote_validation(self, "router.toml", toml)
    }

    fn put_document(&self, toml: &str, tag: &str, comment: &str) -> Result<()> {
        self.send("PUT", "router", &[("comment", comment)], &[router::TOML, ("If-Match", tag)], toml)
            .map(drop)
    }
}
