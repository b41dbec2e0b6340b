//! ID tokens: checks a provider's signature and reads the claims. The crate `jsonwebtoken` applies the rules; the
//! cryptography is that of `ring`, which TLS uses as well.
//!
//! **Invariant:** only RS256 and ES256 count, each only with a key of its own kind: neither `none` nor a public key that is
//! taken for a shared secret.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as JwtResult};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::signature::{Error as BadSignature, Verifier};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey, Validation, decode, decode_header,
};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// How far the provider's clock and ours may be apart.
const SKEW_SECONDS: u64 = 60;
/// Maximum number of keys without a name that are tried.
const KEYS_TRIED_MAX: usize = 20;

static RING: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// The claims of an ID token.
#[derive(Deserialize, Debug)]
pub(super) struct Claims {
    pub(super) sub: String,
    pub(super) nonce: Option<String>,
    azp: Option<String>,
    #[serde(default)]
    aud: Value,
    /// All other claims.
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Why a token is rejected.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenRejection {
    /// The key is not known: the keys may have changed since they were fetched.
    #[error("the ID token is signed with the key {0}, which the provider does not publish")]
    UnknownKey(String),
    /// Any other reason.
    #[error("the ID token is not accepted: {0}")]
    Bad(String),
}

/// The claims of an ID token of this issuer for this client, if one of the keys signed it and it is currently valid.
pub(super) fn verified(
    token: &str,
    keys: &JwkSet,
    issuer: &str,
    client: &str,
) -> Result<Claims, TokenRejection> {
    // Only the first call has an effect, and all calls install the same provider.
    RING.install_default().ok();
    let bad = |error: &dyn std::fmt::Display| TokenRejection::Bad(error.to_string());
    let header = decode_header(token).map_err(|error| bad(&error))?;
    if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256) {
        return Err(bad(&format!(
            "it is signed with {:?}, and only RS256 and ES256 are accepted",
            header.alg
        )));
    }
    let mut validation = Validation::new(header.alg);
    validation.leeway = SKEW_SECONDS;
    validation.validate_nbf = true;
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[client]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    let candidates = match &header.kid {
        Some(kid) => vec![keys.find(kid).ok_or_else(|| TokenRejection::UnknownKey(format!("`{kid}`")))?],
        None => keys.keys.iter().take(KEYS_TRIED_MAX).collect(),
    };
    let mut refused = TokenRejection::UnknownKey("without a name".to_owned());
    for jwk in candidates {
        let Ok(key) = DecodingKey::from_jwk(jwk) else { continue };
        if key.family() != header.alg.family() {
            continue;
        }
        match decode::<Claims>(token, &key, &validation) {
            Ok(data) => return of_client(data.claims, client),
            // The token may have been signed with another key.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidSignature) && header.kid.is_none() => {}
            Err(error) => refused = bad(&error),
        }
    }
    Err(refused)
}

/// A token issued for several clients names the one that may use it.
fn of_client(claims: Claims, client: &str) -> Result<Claims, TokenRejection> {
    let audiences = claims.aud.as_array().map_or(1, Vec::len);
    let is_for_us = match &claims.azp {
        Some(azp) => azp == client,
        None => audiences == 1,
    };
    if is_for_us { Ok(claims) } else { Err(TokenRejection::Bad("it is for another client".to_owned())) }
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> JwtResult<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> JwtResult<Box<dyn JwtVerifier>> {
    match (algorithm, key.family(), key.kind()) {
        (Algorithm::RS256, AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, e }) => {
            Ok(Box::new(Rsa { n: n.clone(), e: e.clone() }))
        }
        (Algorithm::ES256, AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(point)) => {
            Ok(Box::new(P256(point.clone())))
        }
        _ => Err(ErrorKind::InvalidKeyFormat.into()),
    }
}

struct Rsa {
    n: Vec<u8>,
    e: Vec<u8>,
}

impl Verifier<Vec<u8>> for Rsa {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), BadSignature> {
        // Removes leading zeros, which some providers write.
        let trimmed = |bytes: &[u8]| {
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            bytes.iter().skip(zeros).copied().collect::<Vec<u8>>()
        };
        let key = RsaPublicKeyComponents { n: trimmed(&self.n), e: trimmed(&self.e) };
        let verified = key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature);
        verified.map_err(|_| BadSignature::new())
    }
}

impl JwtVerifier for Rsa {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}

/// A P-256 public key as an uncompressed point.
struct P256(Vec<u8>);

impl Verifier<Vec<u8>> for P256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), BadSignature> {
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &self.0);
        key.verify(message, signature).map_err(|_| BadSignature::new())
    }
}

impl JwtVerifier for P256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use jsonwebtoken::get_current_timestamp;
    use ring::rand::SystemRandom;
    use ring::rsa;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256};
    use serde_json::json;

    const ISSUER: &str = "https://sso.example.org";

    enum Signer {
        Rsa(rsa::KeyPair),
        P256(EcdsaKeyPair),
    }

    impl Signer {
        fn rsa() -> Signer {
            let key = include_str!("../../../flow/tests/data/rsa.pem");
            let der: String = key.lines().filter(|line| !line.starts_with('-')).collect();
            let der = base64::engine::general_purpose::STANDARD.decode(der).unwrap();
            Signer::Rsa(rsa::KeyPair::from_der(&der).or_else(|_| rsa::KeyPair::from_pkcs8(&der)).unwrap())
        }

        fn p256() -> Signer {
            let random = SystemRandom::new();
            let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random);
            Signer::P256(pair.unwrap())
        }

        fn jwk(&self, kid: &str) -> Value {
            match self {
                Signer::Rsa(pair) => {
                    let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                    let (n, e) = (URL_SAFE_NO_PAD.encode(public.n), URL_SAFE_NO_PAD.encode(public.e));
                    json!({"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256", "n": n, "e": e})
                }
                Signer::P256(pair) => {
                    let point = pair.public_key().as_ref();
                    let (x, y) =
                        (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
                    json!({"kty": "EC", "kid": kid, "crv": "P-256", "x": x, "y": y})
                }
            }
        }

        fn token(&self, header: &Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let message = format!("{}.{}", part(header), part(claims));
            let random = SystemRandom::new();
            let signature = match self {
                Signer::Rsa(pair) => {
                    let mut signature = vec![0; pair.public().modulus_len()];
                    pair.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).unwrap();
                    signature
                }
                Signer::P256(pair) => pair.sign(&random, message.as_bytes()).unwrap().as_ref().to_vec(),
            };
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
        }

        fn algorithm(&self) -> &'static str {
            match self {
                Signer::Rsa(_) => "RS256",
                Signer::P256(_) => "ES256",
            }
        }
    }

    fn claims() -> Value {
        let now = get_current_timestamp();
        json!({"iss": ISSUER, "aud": "logstead", "sub": "1", "exp": now + 600, "iat": now, "groups": ["a"]})
    }

    fn with(key: &str, value: Value) -> Value {
        let mut claims = claims();
        claims[key] = value;
        claims
    }

    fn keys(jwks: &[Value]) -> JwkSet {
        serde_json::from_value(json!({ "keys": jwks })).unwrap()
    }

    #[test]
    fn a_token_counts_if_its_issuer_signed_it_for_us_and_it_is_of_now() {
        for signer in [Signer::rsa(), Signer::p256()] {
            let keys = keys(&[Signer::p256().jwk("other"), signer.jwk("mine")]);
            let header = json!({"alg": signer.algorithm(), "kid": "mine"});
            let now = get_current_timestamp();
            let check = |claims: &Value, expected: Result<(), &str>| {
                let token = signer.token(&header, claims);
                match (verified(&token, &keys, ISSUER, "logstead"), expected) {
                    (Ok(said), Ok(())) => assert_eq!(said.sub, "1"),
                    (Err(refused), Err(reason)) => {
                        assert!(refused.to_string().contains(reason), "{refused} of {claims}");
                    }
                    (found, _) => panic!("{found:?} of {claims}"),
                }
            };
            check(&claims(), Ok(()));
            check(&with("exp", json!(now - 30)), Ok(()));
            check(&with("exp", json!(now - 90)), Err("Expired"));
            check(&with("nbf", json!(now + 30)), Ok(()));
            check(&with("nbf", json!(now + 90)), Err("Immature"));
            check(&with("iss", json!("https://sso.example.org/")), Err("InvalidIssuer"));
            check(&with("aud", json!("grafana")), Err("InvalidAudience"));
            check(&with("aud", json!(["grafana", "logstead"])), Err("another client"));
            let mut several = with("aud", json!(["grafana", "logstead"]));
            several["azp"] = json!("logstead");
            check(&several, Ok(()));
            check(&with("azp", json!("grafana")), Err("another client"));
            for needed in ["exp", "iss", "aud", "sub"] {
                let mut without = claims();
                without.as_object_mut().unwrap().remove(needed);
                check(&without, Err(""));
            }
        }
    }

    #[test]
    fn a_token_that_is_changed_or_signed_otherwise_does_not_count() {
        let (rsa, p256) = (Signer::rsa(), Signer::p256());
        let keys = keys(&[rsa.jwk("rsa"), p256.jwk("p256")]);
        let good = p256.token(&json!({"alg": "ES256", "kid": "p256"}), &claims());
        let refused = |token: &str| verified(token, &keys, ISSUER, "logstead").is_err();
        assert!(!refused(&good));
        let (head, signature) = good.rsplit_once('.').unwrap();
        let (header, _) = head.split_once('.').unwrap();
        let forged = URL_SAFE_NO_PAD.encode(with("sub", json!("2")).to_string());
        assert!(refused(&format!("{header}.{forged}.{signature}")));
        assert!(refused(&format!("{head}.")));
        for text in ["", "a", "a.b", "a.b.c", "..", &"x".repeat(100_000)] {
            assert!(refused(text), "{text}");
        }
        // These tokens are invalid: one without a signature, one with the key of another kind, and one with the
        // public key as a shared secret.
        let unsigned = URL_SAFE_NO_PAD.encode(json!({"alg": "none"}).to_string());
        assert!(refused(&format!("{unsigned}.{}.", URL_SAFE_NO_PAD.encode(claims().to_string()))));
        assert!(refused(&p256.token(&json!({"alg": "RS256", "kid": "rsa"}), &claims())));
        assert!(refused(&p256.token(&json!({"alg": "ES256", "kid": "rsa"}), &claims())));
        assert!(refused(&p256.token(&json!({"alg": "HS256", "kid": "p256"}), &claims())));
        assert!(refused(&Signer::p256().token(&json!({"alg": "ES256", "kid": "p256"}), &claims())));
    }

    #[test]
    fn a_key_that_is_not_known_yet_is_told_apart_and_keys_need_no_name() {
        let (first, second) = (Signer::p256(), Signer::p256());
        let keys = keys(&[first.jwk("1")]);
        let of = |signer: &Signer, header: Value| {
            verified(&signer.token(&header, &claims()), &keys, ISSUER, "logstead")
        };
        let unknown = of(&second, json!({"alg": "ES256", "kid": "2"}));
        assert!(matches!(unknown, Err(TokenRejection::UnknownKey(_))));
        assert!(of(&first, json!({"alg": "ES256"})).is_ok());
        assert!(matches!(of(&second, json!({"alg": "ES256"})), Err(TokenRejection::UnknownKey(_))));
    }
}
