//! DLIO's and MLPerf Storage's workload files: what a model's checkpoint measures and who writes it.
//!
//! Knows what their keys mean. Must not know how the bytes are saved. Files of the older form, with `optimization_groups`
//! and `layer_parameters` instead of a transformer's shape, give bytes as that benchmark writes them: each rank three
//! tensors of each group's size and `model_size`, the first replica `layer_parameters / tensor` of each layer of its stage.
//! (argonne-lcf/dlio_benchmark, dlio_benchmark/checkpointing/base_checkpointing.py.)

mod keys;
mod tree;

use crate::error::{Fault, nearest};

use super::contents::Contents;
use super::shape::{Datatype, PRESETS, Precision, Transformer};
use super::shard::{self, Layout, Misfit, Parallelism, Writers};
use tree::{Document, Node};

/// What a workload file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// What is saved.
    pub contents: Contents,
    /// Whether files are synced to the target.
    pub fsync: Option<bool>,
    /// Seconds of a training step.
    pub step_s: Option<f64>,
    /// How many times it is saved.
    pub saves: Option<u64>,
    /// What to know of it.
    pub warnings: Vec<String>,
}

/// Reads a workload file; `ranks` is how many write it, where that is told beside it.
///
/// # Errors
/// A [`Fault`] with its place for what is no YAML, for keys that are neither DLIO's nor ours, and for shapes that no ranks
/// can divide.
pub fn read(shown: &str, text: &str, ranks: Option<u64>) -> Result<Workload, Fault> {
    let document = Document::read(shown, text)?;
    let root = document.root();
    let mut warnings = known(&root)?;
    let Some(model) = root.get("model").filter(Node::is_table) else {
        return Err(root.fault("the file has no `model`", "`model` is missing here").help("add what is to be saved"));
    };
    let how = parallelism(&root, &model, ranks, &mut warnings)?;
    let checkpoint = root.get("checkpoint");
    let contents = match model.get("transformer") {
        Some(shape) => shaped(&root, &model, &shape, how)?,
        None => listed(&root, &model, how)?,
    };
    if contents.bytes() == 0 {
        return Err(model
            .fault("this model saves no bytes", "nothing to save")
            .help("give it a `transformer`, or `model_size`, `optimization_groups` or `layer_parameters`"));
    }
    let of = |key: &str| checkpoint.as_ref().and_then(|checkpoint| checkpoint.get(key));
    Ok(Workload {
        contents,
        fsync: of("fsync").map(|fsync| fsync.switch()).transpose()?,
        step_s: step(&root)?,
        saves: of("num_checkpoints_write").map(|count| count.positive()).transpose()?,
        warnings,
    })
}

/// Refuses keys that nobody knows; says which of DLIO's are not used.
fn known(root: &Node<'_>) -> Result<Vec<String>, Fault> {
    let mut warnings = Vec::new();
    for table in keys::TABLES {
        let node = match table.table.split_once('.') {
            _ if table.table.is_empty() => None,
            Some((outer, inner)) => root.get(outer).and_then(|outer| outer.get(inner)),
            None => root.get(table.table),
        };
        let node = if table.table.is_empty() { Some(root) } else { node.as_ref() };
        let Some(node) = node.filter(|node| node.is_table()) else { continue };
        let all: Vec<&str> = table.read.iter().chain(table.unread).copied().collect();
        let keys = node.keys();
        if let Some(key) = keys.iter().find(|key| !all.contains(&key.as_str())) {
            return Err(node.unknown(key, &all));
        }
        let unread: Vec<&str> = keys.iter().map(String::as_str).filter(|key| table.unread.contains(key)).collect();
        // Tables that are not used at all speak for themselves below.
        let unread: Vec<&str> =
            unread.into_iter().filter(|key| keys::of(key).is_none() || !node.name.is_empty()).collect();
        if !unread.is_empty() {
            let of = if node.name.is_empty() { String::new() } else { format!(" of `{}`", node.name) };
            warnings.push(format!("not used{of}: {}", unread.join(", ")));
        }
    }
    Ok(warnings)
}

fn count_or(node: Option<Node<'_>>, otherwise: u64) -> Result<u64, Fault> {
    node.map_or(Ok(otherwise), |node| node.count())
}

fn positive_or(node: Option<Node<'_>>, otherwise: u64) -> Result<u64, Fault> {
    node.map_or(Ok(otherwise), |node| node.positive())
}

fn parallelism(
    root: &Node<'_>,
    model: &Node<'_>,
    told: Option<u64>,
    warnings: &mut Vec<String>,
) -> Result<Parallelism, Fault> {
    let how = model.get("parallelism");
    let of = |key: &str| how.as_ref().and_then(|how| how.get(key));
    let (tensor, pipeline) = (positive_or(of("tensor"), 1)?, positive_or(of("pipeline"), 1)?);
    // DLIO writes -1 for "as many as there are".
    let data = of("data").filter(|data| !data.is_all()).map(|data| data.positive()).transpose()?;
    let zero = count_or(of("zero_stage"), 0)?;
    let ours = root.get("hopsim").and_then(|ours| ours.get("ranks")).map(|ranks| ranks.positive()).transpose()?;
    let ranks = match told.or(ours).or(data.map(|data| data.saturating_mul(tensor).saturating_mul(pipeline))) {
        Some(ranks) => ranks,
        None => {
            let (ranks, why) = default_ranks(model, tensor.saturating_mul(pipeline));
            warnings.push(format!("the file names no rank count: {ranks}, {why} (--ranks tells another)"));
            ranks
        }
    };
    let parallelism = Parallelism { ranks, tensor, pipeline, zero };
    parallelism.check().map_err(|misfit| refused(&misfit, how.as_ref().unwrap_or(model)))?;
    Ok(parallelism)
}

/// MLPerf Storage's ranks for a model that is known; else one replica.
fn default_ranks(model: &Node<'_>, replica: u64) -> (u64, &'static str) {
    let name = model.get("name").and_then(|name| name.text().ok().map(str::to_lowercase)).unwrap_or_default();
    let like = |preset: &&super::shape::Preset| {
        let size = preset.name.rsplit('-').next().unwrap_or_default();
        name.contains("llama") && name.split(['_', '-']).any(|word| word == size)
    };
    match PRESETS.iter().find(like) {
        Some(preset) => (preset.ranks, "as MLPerf Storage has them"),
        None => (replica.max(1), "one replica"),
    }
}

fn refused(misfit: &Misfit, node: &Node<'_>) -> Fault {
    node.fault(&format!("{}: {}", node.name, misfit.problem), "does not come out even").help(misfit.help.clone())
}

fn precision(model: &Node<'_>) -> Result<Precision, Fault> {
    let of = |key: &str, otherwise| model.get(key).map_or(Ok(otherwise), |node| datatype(&node));
    Ok(Precision {
        weights: of("model_datatype", Datatype::Fp16)?,
        optimizer: of("optimizer_datatype", Datatype::Fp32)?,
        states: Precision::MIXED.states,
    })
}

fn datatype(node: &Node<'_>) -> Result<Datatype, Fault> {
    let name = node.text()?;
    Datatype::named(name).ok_or_else(|| {
        let known: Vec<&str> = Datatype::ALL.iter().map(|(known, _)| *known).collect();
        let label = nearest(name, known.iter().copied()).map(|near| format!("did you mean {near}?"));
        node.fault(
            &format!("`{}`: \"{name}\" is no datatype", node.name),
            &label.unwrap_or_else(|| "no such datatype".into()),
        )
        .help(format!("one of {}", known.join(", ")))
    })
}

/// Writers and files a rank, as our own keys say.
fn ours(root: &Node<'_>) -> Result<(Writers, u64), Fault> {
    let ours = root.get("hopsim");
    let of = |key: &str| ours.as_ref().and_then(|ours| ours.get(key));
    let writers = match of("writers") {
        None => Writers::All,
        Some(node) => match node.text()? {
            "all" => Writers::All,
            "one-replica" => Writers::OneReplica,
            "rank-0" => Writers::Rank0,
            other => {
                let message = format!("`hopsim.writers`: \"{other}\" is not known");
                return Err(node.fault(&message, "no such word").help("one of all, one-replica, rank-0"));
            }
        },
    };
    Ok((writers, positive_or(of("files_per_rank"), 1)?))
}

fn name(model: &Node<'_>) -> String {
    model.get("name").and_then(|name| name.text().ok()).unwrap_or("model").to_string()
}

fn shaped(root: &Node<'_>, model: &Node<'_>, shape: &Node<'_>, how: Parallelism) -> Result<Contents, Fault> {
    let precision = precision(model)?;
    let size = |key: &str, otherwise: u64| positive_or(shape.get(key), otherwise);
    let Some(layers) = model.get("num_layers") else {
        return Err(shape
            .fault("`model.num_layers` is missing", "a shape without its layers")
            .help("say how many layers it has"));
    };
    // What stands beside the keys is what DLIO takes where they are missing.
    let shape_of = Transformer {
        layers: layers.positive()?,
        hidden: size("hidden_size", 2_048)?,
        feed_forward: size("ffn_hidden_size", 8_196)?,
        vocabulary: size("vocab_size", 32_000)?,
        heads: size("num_attention_heads", 32)?,
        kv_heads: size("num_kv_heads", 8)?,
    };
    let (writers, files) = ours(root)?;
    Contents::shaped(&name(model), &shape_of, precision, how, writers, files).map_err(|misfit| refused(&misfit, model))
}

/// The older form: lists of tensors.
fn listed(root: &Node<'_>, model: &Node<'_>, how: Parallelism) -> Result<Contents, Fault> {
    let list = |key: &str| model.get(key).map_or(Ok(Vec::new()), |node| node.counts());
    let (groups, layer) = (list("optimization_groups")?, list("layer_parameters")?);
    let own = count_or(model.get("model_size").or_else(|| model.get("model_size_bytes")), 0)?;
    // DLIO writes -1 for a model whose layers are not told apart.
    let layers = count_or(model.get("num_layers").filter(|layers| !layers.is_all()), 0)?;
    let all = every_rank_writes(root, model, &how)?;
    let of_a_layer = layer.iter().fold(0u64, |sum, bytes| sum.saturating_add(bytes / how.tensor));
    let in_groups: u128 = groups.iter().map(|group| 3 * u128::from(*group)).sum();
    let of_a_rank = in_groups + u128::from(own) + u128::from(layers) * u128::from(of_a_layer);
    let whole = of_a_rank.saturating_mul(u128::from(how.ranks));
    shard::countable("model", whole).map_err(|misfit| refused(&misfit, model))?;
    let each = in_groups as u64 + own;
    let rank = |rank: u64| {
        let stage = rank / how.tensor % how.pipeline;
        let mine = layers / how.pipeline + u64::from(stage < layers % how.pipeline);
        let first = if rank < how.model_ranks() { mine * of_a_layer } else { 0 };
        if all || rank == 0 { each + first } else { 0 }
    };
    let (writers, files_a_rank) = ours(root)?;
    shard::few_files(files_a_rank).map_err(|misfit| refused(&misfit, model))?;
    let layout = Layout { ranks: (0..how.ranks).map(rank).collect(), files_a_rank };
    Ok(Contents { name: name(model), parameters: None, precision: None, parallelism: how, writers, layout })
}

/// A model that is not divided is written by rank 0, unless the file says otherwise.
fn every_rank_writes(root: &Node<'_>, model: &Node<'_>, how: &Parallelism) -> Result<bool, Fault> {
    let kind = root.get("checkpoint").and_then(|checkpoint| checkpoint.get("type"));
    match kind.as_ref().map(|kind| kind.text()).transpose()? {
        Some("all_ranks") => Ok(true),
        Some("rank_zero") => Ok(false),
        Some(other) => {
            let node = kind.as_ref().unwrap_or(model);
            Err(node
                .fault(&format!("`checkpoint.type`: \"{other}\" is not known"), "no such word")
                .help("one of all_ranks, rank_zero"))
        }
        None => Ok(how.model_ranks() > 1 || model.get("parallelism").is_some()),
    }
}

/// Seconds of a training step: a number, or a distribution's mean.
fn step(root: &Node<'_>) -> Result<Option<f64>, Fault> {
    let Some(time) = root.get("train").and_then(|train| train.get("computation_time")) else { return Ok(None) };
    if time.is_table() {
        return time.get("mean").map(|mean| mean.number()).transpose();
    }
    time.number().map(Some)
}
