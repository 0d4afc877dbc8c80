//! Time passes.

/// How a run is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every request.
    #[default]
    Request,
    /// Until batch means of throughput agree; the rest is extrapolated.
    Settled,
}
