//! An OpenID provider: where to send a browser that logs in, and who the person is that comes back with it (OpenID
//! Connect Core 1.0, the code flow with PKCE).
//!
//! The server stores nothing about a pending login: everything that ties its end to its beginning is derived from a
//! secret in a browser cookie, so no login is lost by a restart or by a flood of other logins.
//!
//! | derived         | ties                                                       |
//! |-----------------|------------------------------------------------------------|
//! | state           | the address that the browser comes back to, to its cookie  |
//! | nonce           | the ID token, to this login                                |
//! | code verifier   | the code, to whoever began (PKCE, S256)                    |
//!
//! **Invariant:** the ID token decides who somebody is. Other answers only add what it leaves out, and only about the same
//! subject.

use super::jwt::{self, Claims, TokenRejection};
use super::web::Web;
use super::{Person, bounded, secret_of};
use crate::Secret;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::JwkSet;
use logstead_config::accounts::Oidc;
use parking_lot::Mutex;
use ring::digest;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::form_urlencoded::{Serializer, byte_serialize};

/// How long a provider's configuration and keys are used before they are fetched anew.
const FRESH: Duration = Duration::from_secs(3600);
/// Minimum time between two fetches because of an unknown key, so that forged tokens cannot cause a flood of
/// requests.
const FETCH_AGAIN_AFTER: Duration = Duration::from_secs(30);
/// How long a provider that did not answer is left alone, since anybody can cause a request to it.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(3);
/// Maximum length of a subject (OpenID Connect Core 1.0, 2) and of a name.
const TEXT_CHARS_MAX: usize = 255;

/// A provider.
pub struct Provider {
    /// The provider's settings.
    pub settings: Oidc,
    redirect_uri: String,
    known: Mutex<ProviderCache>,
}

/// The configuration and the keys that a provider has published.
#[derive(Default)]
struct ProviderCache {
    configuration: Option<(Instant, Arc<Configuration>)>,
    /// The latest failure to fetch them, and its time.
    failed: Option<(Instant, String)>,
    keys: Option<(Instant, Arc<JwkSet>)>,
    /// The time when they were last fetched because of a key that was missing.
    missed_at: Option<Instant>,
}

/// The part of `/.well-known/openid-configuration` that we need.
#[derive(Deserialize)]
struct Configuration {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

/// The parameters with which a browser comes back from the provider.
#[derive(Clone, Debug)]
pub struct LoginReturn {
    /// The authorization code that the provider sent back.
    pub code: String,
    /// The state with which the login began.
    pub state: String,
    /// The issuer (RFC 9207), if the provider names it.
    pub iss: Option<String>,
}

impl Provider {
    /// `origin` is the address at which browsers reach us.
    pub fn new(settings: &Oidc, origin: &str) -> Provider {
        let redirect_uri = format!("{}/api/v1/oidc/{}/callback", origin.trim_end_matches('/'), settings.id);
        Provider { settings: settings.clone(), redirect_uri, known: Mutex::default() }
    }

    /// The provider's address to which a browser with this secret is sent.
    pub fn address(&self, secret: &Secret) -> Result<String, String> {
        let configuration = self.configuration(&Web::of(&self.settings)?)?;
        let challenge = digest::digest(&digest::SHA256, verifier(secret).as_bytes());
        let mut query = Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("scope", &self.settings.scopes.join(" "))
            .append_pair("state", &derived(secret, STATE))
            .append_pair("nonce", &derived(secret, NONCE))
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256");
        let endpoint = &configuration.authorization_endpoint;
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{joint}{}", query.finish()))
    }

    /// Whether a browser with this secret came back from the login that it began.
    pub fn is_state_of(&self, secret: &Secret, state: &str) -> bool {
        Secret::same(&derived(secret, STATE), state)
    }

    /// Identifies the person who came back.
    pub fn person(&self, secret: &Secret, back: &LoginReturn) -> Result<Person, String> {
        if !self.is_state_of(secret, &back.state) {
            return Err("the state does not belong to this login".to_owned());
        }
        let web = Web::of(&self.settings)?;
        let configuration = self.configuration(&web)?;
        if back.iss.as_ref().is_some_and(|iss| *iss != configuration.issuer) {
            return Err("the answer is from another provider".to_owned());
        }
        let tokens = self.tokens(&web, &configuration, secret, &back.code)?;
        let claims = self.claims(&web, &configuration, &tokens.id_token)?;
        if !claims.nonce.as_deref().is_some_and(|nonce| Secret::same(nonce, &derived(secret, NONCE))) {
            return Err("the ID token belongs to another login".to_owned());
        }
        self.read(&web, &configuration, claims, tokens.access_token.as_deref())
    }

    fn tokens(
        &self,
        web: &Web,
        configuration: &Configuration,
        secret: &Secret,
        code: &str,
    ) -> Result<Tokens, String> {
        let Oidc { client_id, client_secret_file, .. } = &self.settings;
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("code_verifier", &verifier(secret));
        let methods = configuration.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
        let offers = |method: &str| methods.iter().any(|offered| offered == method);
        let mut authorization = None;
        if client_secret_file.is_empty() {
            form.append_pair("client_id", client_id);
        } else {
            let client_secret = secret_of(client_secret_file)?;
            // `client_secret_basic` is the default if the provider names no method (OpenID Connect Discovery 1.0, 3).
            if offers("client_secret_post") && !offers("client_secret_basic") {
                form.append_pair("client_id", client_id).append_pair("client_secret", &client_secret);
            } else {
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let pair = format!("{}:{}", encoded(client_id), encoded(&client_secret));
                authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
            }
        }
        web.post_form(&configuration.token_endpoint, authorization, form.finish())
    }

    /// The verified claims of a token. Fetches the keys again if they may have changed.
    fn claims(&self, web: &Web, configuration: &Configuration, token: &str) -> Result<Claims, String> {
        let verified =
            |keys: &JwkSet| jwt::verified(token, keys, &self.settings.issuer, &self.settings.client_id);
        match verified(&*self.keys(web, configuration)?) {
            Err(TokenRejection::UnknownKey(_)) if self.may_fetch_again() => {
                verified(&*self.fetched_keys(web, configuration)?).map_err(|refused| refused.to_string())
            }
            done => done.map_err(|refused| refused.to_string()),
        }
    }

    fn read(
        &self,
        web: &Web,
        configuration: &Configuration,
        claims: Claims,
        access_token: Option<&str>,
    ) -> Result<Person, String> {
        let Oidc { name_claim, groups_claim, .. } = &self.settings;
        let Claims { sub, mut other, .. } = claims;
        let is_complete = claim(&other, name_claim).is_some() && claim(&other, groups_claim).is_some();
        if let (false, Some(endpoint), Some(token)) =
            (is_complete, &configuration.userinfo_endpoint, access_token)
        {
            self.check(endpoint)?;
            let more: Map<String, Value> = web.get(endpoint, Some(token))?;
            if more.get("sub").and_then(Value::as_str) != Some(&sub) {
                return Err(format!("{endpoint} describes another user than the ID token"));
            }
            for (key, value) in more {
                other.entry(key).or_insert(value);
            }
        }
        let name = claim(&other, name_claim).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        if name.is_empty() {
            return Err(format!(
                "the provider does not say the name of {sub}: the claim `{name_claim}` is missing"
            ));
        }
        if sub.is_empty() || [&sub, &name].iter().any(|text| TEXT_CHARS_MAX < text.chars().count()) {
            return Err(format!("the subject and the name must have 1 to {TEXT_CHARS_MAX} characters"));
        }
        let groups = match claim(&other, groups_claim) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        };
        Ok(Person { subject: sub, groups: bounded(groups, &name), name })
    }

    fn configuration(&self, web: &Web) -> Result<Arc<Configuration>, String> {
        let known = self.known.lock();
        if let Some((at, configuration)) = &known.configuration
            && at.elapsed() < FRESH
        {
            return Ok(configuration.clone());
        }
        if let Some((at, error)) = &known.failed
            && at.elapsed() < ASK_AGAIN_AFTER
        {
            return Err(error.clone());
        }
        drop(known);
        let fetched = self.fetched_configuration(web);
        let mut known = self.known.lock();
        match &fetched {
            Ok(found) => known.configuration = Some((Instant::now(), found.clone())),
            Err(error) => known.failed = Some((Instant::now(), error.clone())),
        }
        fetched
    }

    fn fetched_configuration(&self, web: &Web) -> Result<Arc<Configuration>, String> {
        let issuer = &self.settings.issuer;
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let found: Configuration = web.get(&url, None)?;
        if found.issuer != *issuer {
            return Err(format!(
                "{url} names the issuer `{}`: write exactly that in the settings",
                found.issuer
            ));
        }
        for endpoint in [&found.authorization_endpoint, &found.token_endpoint, &found.jwks_uri] {
            self.check(endpoint)?;
        }
        Ok(Arc::new(found))
    }

    fn keys(&self, web: &Web, configuration: &Configuration) -> Result<Arc<JwkSet>, String> {
        if let Some((at, keys)) = &self.known.lock().keys
            && at.elapsed() < FRESH
        {
            return Ok(keys.clone());
        }
        self.fetched_keys(web, configuration)
    }

    /// Whether the keys may be fetched again because of an unknown key.
    fn may_fetch_again(&self) -> bool {
        let mut known = self.known.lock();
        let may = known.missed_at.is_none_or(|at| FETCH_AGAIN_AFTER <= at.elapsed());
        if may {
            known.missed_at = Some(Instant::now());
        }
        may
    }

    fn fetched_keys(&self, web: &Web, configuration: &Configuration) -> Result<Arc<JwkSet>, String> {
        let keys = Arc::new(web.get::<JwkSet>(&configuration.jwks_uri, None)?);
        self.known.lock().keys = Some((Instant::now(), keys.clone()));
        Ok(keys)
    }

    /// Checks that an address named by the provider is encrypted if the provider's own is.
    fn check(&self, endpoint: &str) -> Result<(), String> {
        let is_local = self.settings.issuer.starts_with("http://");
        if endpoint.starts_with("https://") || is_local && endpoint.starts_with("http://") {
            return Ok(());
        }
        Err(format!("the provider names the address {endpoint}, which does not begin with https://"))
    }
}

/// A claim by its name, or by a path of names such as `realm_access.roles`.
fn claim<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    claims.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        claim(claims.get(first)?.as_object()?, rest)
    })
}

const STATE: &str = "logstead 2026 state of an OpenID login";
const NONCE: &str = "logstead 2026 nonce of an OpenID login";
const VERIFIER: &str = "logstead 2026 code verifier of an OpenID login";

fn verifier(secret: &Secret) -> String {
    derived(secret, VERIFIER)
}

fn derived(secret: &Secret, context: &'static str) -> String {
    URL_SAFE_NO_PAD.encode(blake3::derive_key(context, secret.reveal().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_claim_is_found_by_its_name_or_on_its_way() {
        let claims = json!({"groups": ["a"], "a.b": 1, "realm_access": {"roles": ["x"]}, "name": "n"});
        let claims = claims.as_object().unwrap();
        assert_eq!(claim(claims, "groups"), Some(&json!(["a"])));
        assert_eq!(claim(claims, "a.b"), Some(&json!(1)));
        assert_eq!(claim(claims, "realm_access.roles"), Some(&json!(["x"])));
        for missing in ["", ".", "name.roles", "realm_access.", "realm_access.roles.x", "other"] {
            assert_eq!(claim(claims, missing), None, "{missing}");
        }
    }

    #[test]
    fn what_ties_a_login_together_is_of_one_secret_and_tells_nothing_of_it() {
        let (one, other) = (Secret::session().unwrap(), Secret::session().unwrap());
        let parts: std::collections::BTreeSet<String> = [&one, &other]
            .into_iter()
            .flat_map(|secret| [STATE, NONCE, VERIFIER].map(|context| derived(secret, context)))
            .collect();
        assert_eq!(parts.len(), 6);
        // RFC 7636 requires 43 to 128 characters.
        assert_eq!(verifier(&one).len(), 43);
    }
}
