//! The HTTP client for OpenID providers. It expects JSON and limits the time and the length of an answer.

use logstead_client::http::{Encryption, agent};
use logstead_client::proxy::Proxies;
use logstead_client::tls::{Authorities, TlsOptions};
use logstead_config::Proxy;
use logstead_config::accounts::Oidc;
use serde::de::DeserializeOwned;
use ureq::Agent;
use ureq::http::{Response, header};

/// Maximum length of a response.
const ANSWER_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of characters of an error response that are shown.
const SHOWN_CHARS_MAX: usize = 300;

/// A client of one provider.
pub(super) struct Web {
    agent: Agent,
}

impl Web {
    pub(super) fn of(provider: &Oidc) -> Result<Web, String> {
        let authorities = match provider.ca_file.as_str() {
            "" => Authorities::System,
            path => Authorities::File(path.into()),
        };
        let encryption = Encryption::new(TlsOptions { authorities, ..TlsOptions::default() }, None);
        let proxies = Proxies::of(provider.proxy.as_ref().map(Proxy::as_str))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A response from another address is not the provider's.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("logstead/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(provider.timeout.duration()));
        Ok(Web { agent: agent(config.build(), encryption, proxies) })
    }

    pub(super) fn get<T: DeserializeOwned>(&self, url: &str, bearer: Option<&str>) -> Result<T, String> {
        let mut request = self.agent.get(url).header(header::ACCEPT, "application/json");
        if let Some(token) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        read(url, request.call())
    }

    pub(super) fn post_form<T: DeserializeOwned>(
        &self,
        url: &str,
        authorization: Option<String>,
        form: String,
    ) -> Result<T, String> {
        let mut request = self
            .agent
            .post(url)
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(authorization) = authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        read(url, request.send(form))
    }
}

fn read<T: DeserializeOwned>(
    url: &str,
    answer: Result<Response<ureq::Body>, ureq::Error>,
) -> Result<T, String> {
    let told = |error: &dyn std::fmt::Display| format!("{url}: {error}");
    let mut answer = answer.map_err(|error| told(&error))?;
    let status = answer.status();
    let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
    let text = text.map_err(|error| told(&error))?;
    if !status.is_success() {
        let shown: String = text.chars().filter(|c| !c.is_control()).take(SHOWN_CHARS_MAX).collect();
        return Err(told(&format!("{status} {shown}")));
    }
    serde_json::from_str(&text).map_err(|error| told(&format!("the answer is not as expected: {error}")))
}
