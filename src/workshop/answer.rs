//! Answers as the browser gets them: JSON with its status, refusals in words, and headers that let nothing else in.
//!
//! Knows HTTP. Must not know how an answer came about.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::Fault;

use super::assets::Asset;
use super::room::Refusal;

/// The page loads its own files and talks to its own server, and nobody puts it into a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What went wrong, for the page to show.
#[derive(Serialize)]
struct Wrong<'a> {
    message: &'a str,
    help: Option<&'a str>,
}

/// A text that is JSON already.
pub(super) fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// A file of the page.
pub(super) fn file(asset: &'static Asset) -> Response {
    ([(header::CONTENT_TYPE, asset.media)], asset.text).into_response()
}

/// A fault with a status.
pub(super) fn fault(status: StatusCode, fault: &Fault) -> Response {
    let wrong = Wrong { message: fault.message(), help: fault.advice() };
    // Two texts cannot fail to become JSON.
    (status, json(serde_json::to_string(&wrong).unwrap_or_default())).into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match &self {
            Refusal::Wrong(wrong) => fault(StatusCode::BAD_REQUEST, wrong),
            Refusal::Busy(busy) => fault(StatusCode::SERVICE_UNAVAILABLE, busy),
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Wrong(fault)
    }
}

/// Adds to every answer what keeps browsers careful.
pub(super) fn guarded(mut response: Response) -> Response {
    let headers: [(HeaderName, &'static str); 4] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
