//! Names of hosts before lines: `gpu01: ` as pdsh and clush write it, and the headings of dshbak and `clush -b`.
//!
//! Knows how such tools mark whose line it is. Must not know what a line says.

use super::pattern;
use super::text::Line;

/// Beginnings of words that stand before a colon in logs and are no hosts.
const NO_HOSTS: [&str; 17] = [
    "nvidia", "nvme", "nvrm", "mlx", "pci", "iommu", "dmar", "amd-vi", "kernel", "warning", "error", "ib", "eth",
    "acpi", "cpu", "md", "sd",
];

/// Notes whose line each is, and leaves the host's name out of what the tool wrote.
pub(super) fn strip(lines: &mut [Line]) {
    headings(lines);
    let words: Vec<Option<String>> = lines.iter().map(|line| word(line.body())).collect();
    let output: Vec<usize> = (0..lines.len()).filter(|&at| is_output(&lines[at])).collect();
    let marked = |at: &usize| words[*at].is_some();
    let everywhere = !output.is_empty() && output.iter().all(marked);
    for at in 0..lines.len() {
        let Some(name) = &words[at] else { continue };
        let neighbour = |other: Option<usize>| other.and_then(|other| words.get(other)?.as_ref());
        let beside =
            [at.checked_sub(1), Some(at + 1)].into_iter().filter_map(neighbour).any(|other| alike(other, name));
        let numbered = name.contains(|c: char| c.is_ascii_digit());
        if numbered && (everywhere || beside) {
            lines[at].mark_host(name);
        }
    }
}

/// Whether a line is more than a blank or the command that was typed.
fn is_output(line: &Line) -> bool {
    let body = line.body().trim_start();
    !body.is_empty() && !super::is_prompt(body)
}

/// The word before a colon and a blank, where it could be a host's name.
fn word(body: &str) -> Option<String> {
    let found = pattern!(r"^([A-Za-z][A-Za-z0-9.-]{1,62}): ?").captures(body)?;
    let name = found[1].to_string();
    let small = name.to_lowercase();
    let rest = body[found[0].len()..].trim();
    (!rest.is_empty() && !NO_HOSTS.iter().any(|prefix| small.starts_with(prefix))).then_some(name)
}

/// Whether two names are of one row of hosts: the same but for their digits.
fn alike(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    letters(one) == letters(other)
}

/// `----`, a name, `----`: what follows is that host's.
fn headings(lines: &mut [Line]) {
    let rule = |line: &Line| line.shown.len() >= 8 && line.shown.chars().all(|c| c == '-');
    let mut host: Option<String> = None;
    for at in 0..lines.len() {
        let between = at > 0 && at + 1 < lines.len() && rule(&lines[at - 1]) && rule(&lines[at + 1]);
        if between
            && let Some(found) =
                pattern!(r"^([A-Za-z][\w.\[\],-]*\d[\w.\[\],-]*)(?: \(\d+\))?$").captures(&lines[at].shown)
        {
            host = Some(found[1].to_string());
        } else if let Some(host) = &host {
            lines[at].host = Some(host.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Text;

    fn read(text: &str) -> Vec<(Option<String>, String)> {
        let text = Text::read("t", text.as_bytes());
        text.lines.iter().map(|line| (line.host.clone(), line.body().to_string())).collect()
    }

    #[test]
    fn names_of_hosts_before_lines_are_no_part_of_what_the_tool_wrote() {
        let lines = read("$ pdsh -w gpu[01-02] lsmod\ngpu01: nvme 1 2\ngpu02: nvme 1 2\n");
        assert_eq!(lines[1], (Some("gpu01".into()), "nvme 1 2".into()));
        assert_eq!(lines[2], (Some("gpu02".into()), "nvme 1 2".into()));
    }

    #[test]
    fn a_heading_of_dshbak_says_whose_lines_follow() {
        let rule = "----------------";
        let lines = read(&format!("{rule}\nnode7\n{rule}\nnvme 1 2\n"));
        assert_eq!(lines[3], (Some("node7".into()), "nvme 1 2".into()));
    }

    #[test]
    fn what_logs_and_tables_write_before_a_colon_is_no_host() {
        for text in [
            "nvidia-fs: a\nnvidia-fs: b\n",
            "nvme0: a\nnvme1: b\n",
            "Reads : n=1\nWrites : n=2\n",
            "IoType: READ\nIoType: WRITE\n",
            "Socket(s): 2\n",
        ] {
            assert!(read(text).iter().all(|(host, _)| host.is_none()), "{text}");
        }
    }
}
