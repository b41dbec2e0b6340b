//! The certificates that the live document and the settings name, read from their files.

use crate::error::Result;
use crate::state::{ApiInner, SharedState};
use crate::waiting::blocking;
use axum::extract::State;
use logstead_flow::listen::{Certificate, certificates_in};
use serde::Serialize;
use serde_json::{Value, json};

/// Every file of certificates that is in use.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CertificateFiles {
    pub(super) files: Vec<CertificateFile>,
}

/// A file of certificates.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CertificateFile {
    /// The user of the file: `web`, `source` or `destination`.
    owner: &'static str,
    /// The id of the source or destination; empty for the web.
    id: String,
    /// `certificate`: our own; `client_ca`: the authorities that sign those of senders; `ca`: the authorities that
    /// sign those of servers.
    role: &'static str,
    file: String,
    /// The first 20 certificates in the file, the owner's own first.
    certificates: Vec<Certificate>,
    /// The reason why the file cannot be read. The certificate read before stays in use.
    #[schema(required)]
    error: Option<String>,
}

/// Every file of certificates that the settings and the live document name, as it is on disk now.
#[utoipa::path(
    get, path = "/api/v1/certificates", operation_id = "list_certificates", tag = "system", responses((status = 200, body = CertificateFiles))
)]
pub(crate) async fn certificates(State(shared): State<SharedState>) -> Result<axum::Json<CertificateFiles>> {
    blocking(move || axum::Json(CertificateFiles { files: files(&shared) })).await
}

pub(super) fn files(shared: &ApiInner) -> Vec<CertificateFile> {
    let (settings, live) = (&shared.state.settings, shared.state.pipeline.router());
    // In JSON, every kind of source and destination has its files under the same keys.
    let document = serde_json::to_value(&live.document).unwrap_or_default();
    let web = settings.web.tls.as_ref().map(|tls| json!({"tls": {"certificate": tls.certificate}}));
    let items = |section: &str| document[section].as_array().cloned().unwrap_or_default();
    let owners = [
        ("web", web.into_iter().collect()),
        ("source", items("sources")),
        ("destination", items("destinations")),
    ];
    let mut files = Vec::new();
    for (owner, items) in owners {
        for item in items {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            for role in ["certificate", "client_ca", "ca"] {
                let file = text(&item["tls"][role]);
                if file.is_empty() {
                    continue;
                }
                let read = certificates_in(&settings.data.join(&file));
                let error = read.as_ref().err().cloned();
                let (id, certificates) = (text(&item["id"]), read.unwrap_or_default());
                files.push(CertificateFile { owner, id, role, file, certificates, error });
            }
        }
    }
    files
}
