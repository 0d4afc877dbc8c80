//! The `[sweep]` of a scenario file: which keys take which values.

use schemars::JsonSchema;
use serde::Deserialize;

use super::figure::At;

/// A grid of runs. Values are written as on the command line: `from..to` (sizes, rates and times double, counts go up by
/// one), `from..to:x4` (times), `from..to:+4` (plus) or a list `a,b,c`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Keys with their values, each an axis of its own, all crossed: `["works.*.size=4KiB..16MiB:x4", "works.*.depth=1,4"]`.
    #[serde(default)]
    pub vary: Vec<At<String>>,
    /// Keys that go in step, the first value with the first, the second with the second: together one more axis.
    #[serde(default)]
    pub zip: Vec<At<String>>,
    /// Runs of each point, with seeds that count up from the scenario's; 1 where nothing is said.
    pub replicates: Option<At<u64>>,
}
