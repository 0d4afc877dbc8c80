//! The keys of DLIO's workload files: those that say what is saved, and those that this program has no use for.
//!
//! Knows names. Must not know values. (argonne-lcf/dlio_benchmark, docs/source/config.rst and dlio_benchmark/utils/config.py.)

/// A table of a file: its name with dots, the keys that are read, and DLIO's keys that are not.
pub(super) struct Known {
    pub(super) table: &'static str,
    pub(super) read: &'static [&'static str],
    pub(super) unread: &'static [&'static str],
}

/// All tables. The empty name is the file itself.
pub(super) const TABLES: &[Known] = &[
    Known {
        table: "",
        read: &["model", "train", "checkpoint", "hopsim"],
        unread: &[
            "framework",
            "workflow",
            "dataset",
            "reader",
            "data_reader",
            "evaluation",
            "output",
            "profiling",
            "storage",
            "metric",
        ],
    },
    Known {
        table: "model",
        read: &[
            "name",
            "type",
            "model_size",
            "model_size_bytes",
            "model_datatype",
            "optimizer_datatype",
            "optimization_groups",
            "num_layers",
            "layer_parameters",
            "parallelism",
            "transformer",
        ],
        unread: &[],
    },
    Known { table: "model.parallelism", read: &["tensor", "pipeline", "data", "zero_stage"], unread: &[] },
    Known {
        table: "model.transformer",
        read: &["vocab_size", "hidden_size", "ffn_hidden_size", "num_attention_heads", "num_kv_heads"],
        unread: &[],
    },
    Known {
        table: "train",
        read: &["computation_time"],
        unread: &["epochs", "computation_time_stdev", "total_training_steps", "seed_change_epoch", "seed"],
    },
    Known {
        table: "checkpoint",
        read: &["fsync", "num_checkpoints_write", "type"],
        unread: &[
            "checkpoint_folder",
            "checkpoint_after_epoch",
            "epochs_between_checkpoints",
            "steps_between_checkpoints",
            "time_between_checkpoints",
            "num_checkpoints_read",
            "recovery_rank_shift",
            "rank_sync",
            "checkpoint_rank_sync",
            "mode",
            "randomize_tensor",
            "ksm",
            "checkpoint_mechanism_classname",
        ],
    },
    Known { table: "hopsim", read: &["ranks", "writers", "files_per_rank"], unread: &[] },
    Known {
        table: "workflow",
        read: &[],
        unread: &["generate_data", "train", "evaluation", "checkpoint", "profiling"],
    },
    Known {
        table: "dataset",
        read: &[],
        unread: &[
            "record_length",
            "record_length_stdev",
            "record_length_resize",
            "record_length_bytes",
            "record_length_bytes_stdev",
            "record_length_bytes_resize",
            "format",
            "num_files_train",
            "num_files_eval",
            "num_samples_per_file",
            "data_folder",
            "num_subfolders_train",
            "num_subfolders_eval",
            "file_prefix",
            "compression",
            "compression_level",
            "enable_chunking",
            "chunk_size",
            "chunk_dims",
            "max_shape",
            "keep_files",
            "record_dims",
            "record_element_type",
            "num_dataset_per_record",
            "generation_buffer_size",
        ],
    },
    Known { table: "reader", read: &[], unread: READER },
    Known { table: "data_reader", read: &[], unread: READER },
    Known {
        table: "evaluation",
        read: &[],
        unread: &["eval_time", "eval_time_stdev", "eval_after_epoch", "epochs_between_evals"],
    },
    Known { table: "output", read: &[], unread: &["folder", "log_file", "metric"] },
    Known { table: "profiling", read: &[], unread: &["profiler", "iostat_devices"] },
    Known { table: "storage", read: &[], unread: &["storage_type", "storage_root", "storage_options"] },
    Known { table: "metric", read: &[], unread: &["au"] },
];

const READER: &[&str] = &[
    "data_loader",
    "data_loader_classname",
    "data_loader_sampler",
    "reader_classname",
    "multiprocessing_context",
    "dont_use_mmap",
    "batch_size",
    "batch_size_eval",
    "read_threads",
    "read_type",
    "pin_memory",
    "computation_threads",
    "prefetch_size",
    "sample_shuffle",
    "file_shuffle",
    "file_access",
    "shuffle_size",
    "transfer_size",
    "preprocess_time",
    "preprocess_time_stdev",
    "odirect",
    "transformed_sample",
    "transformed_sample_type",
];

/// What is known of a table.
pub(super) fn of(table: &str) -> Option<&'static Known> {
    TABLES.iter().find(|known| known.table == table)
}
