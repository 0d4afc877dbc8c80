//! Every figure lies in its own range, and none is zero that must not be.
//!
//! Knows where figures stand. Must not know what they do.

use crate::error::{Fault, Sources};
use crate::format::{Cache, Copies, Cpu, Figure, Link, Nic, Node, Scenario, Server, Soft, Target};
use engine::units::Factor;
use engine::units::Quantity;

use super::super::lanes;
use super::look::Look;

/// Checks the figures of the hardware; those of works are checked with the works.
pub(super) fn all(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    let look = Look { sources };
    look.node(&scenario.node)?;
    look.target("target", &scenario.target)?;
    for (name, work) in &scenario.works {
        let target = work.value.target.as_ref();
        target.map_or(Ok(()), |target| look.target(&format!("works.{name}.target"), target))?;
    }
    Ok(())
}

/// Checks that a figure is above zero and within its range.
pub(super) fn positive<T: Quantity>(sources: &Sources, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
    Look { sources }.positive(key, figure)
}

/// Checks that a figure lies within its range.
pub(super) fn in_range<T: Quantity>(sources: &Sources, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
    Look { sources }.in_range(key, figure)
}

impl Look<'_> {
    fn node(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.gpus", &node.gpus)?;
        self.in_range("node.nics", &node.nics)?;
        self.gpu(node)?;
        match &node.nic {
            Some(nic) => self.nic(nic)?,
            None if node.nics.value > 0 => return Err(self.no_nic(node)),
            None => {}
        }
        self.cpu(node)?;
        self.dram(node)?;
        for (number, switch) in node.switches.iter().enumerate() {
            self.link(&format!("node.switches.{number}.uplink"), &switch.uplink)?;
        }
        self.spread(node)?;
        self.stated("node.socket_link", &node.socket_link)?;
        self.stated("node.software.pinned_limit", &node.software.pinned_limit)?;
        let Some(limits) = &node.peer_to_peer else { return Ok(()) };
        self.stated("node.peer_to_peer.root_complex_to_gpu", &limits.root_complex_to_gpu)?;
        self.stated("node.peer_to_peer.root_complex_from_gpu", &limits.root_complex_from_gpu)?;
        self.stated("node.peer_to_peer.across_sockets", &limits.across_sockets)?;
        self.stated("node.peer_to_peer.switch_to_gpu", &limits.switch_to_gpu)?;
        self.stated("node.peer_to_peer.switch_from_gpu", &limits.switch_from_gpu)?;
        self.stated("node.peer_to_peer.translated", &limits.translated)?;
        self.maybe_in_range("node.peer_to_peer.root_complex_delay", &limits.root_complex_delay)?;
        self.maybe_in_range("node.peer_to_peer.across_delay", &limits.across_delay)
    }

    /// A service that varies by more than its mean would take less than nothing at times.
    fn spread(&self, node: &Node) -> Result<(), Fault> {
        let Some(spread) = node.spread.as_ref().filter(|spread| spread.value > Factor::ONE) else { return Ok(()) };
        let message = format!("node.spread: services vary by {} times their mean", spread.value);
        Err(Fault::at(self.sources, &spread.span, message, "must be at most 1").help(
            "a standard deviation over a mean: 0.2 for most services, 0 for services that always take their mean",
        ))
    }

    fn gpu(&self, node: &Node) -> Result<(), Fault> {
        let gpu = &node.gpu;
        self.positive("node.gpu.hbm", &gpu.hbm)?;
        self.stated("node.gpu.memory", &gpu.memory)?;
        self.stated("node.gpu.both_directions", &gpu.both_directions)?;
        self.stated("node.gpu.bar1", &gpu.bar1)?;
        self.link("node.gpu.link", &gpu.link)?;
        self.positive("node.gpu.copies.rate_to_gpu", &gpu.copies.rate_to_gpu)?;
        self.positive("node.gpu.copies.rate_from_gpu", &gpu.copies.rate_from_gpu)?;
        self.in_range("node.gpu.copies.overhead_to_gpu", &gpu.copies.overhead_to_gpu)?;
        self.in_range("node.gpu.copies.overhead_from_gpu", &gpu.copies.overhead_from_gpu)?;
        self.special_copies(&gpu.copies)?;
        self.costs("node.gpu", &node.gpu.costs, &node.gpu.costs_by_size)
    }

    fn special_copies(&self, copies: &Copies) -> Result<(), Fault> {
        if let Some(lines) = &copies.hot_lines {
            self.positive("node.gpu.copies.hot_lines.rate", &lines.rate)?;
            self.positive("node.gpu.copies.hot_lines.size", &lines.size)?;
        }
        let Some(pageable) = &copies.pageable else { return Ok(()) };
        self.by_size("node.gpu.copies.pageable.to_gpu", &pageable.to_gpu)?;
        self.by_size("node.gpu.copies.pageable.from_gpu", &pageable.from_gpu)?;
        self.maybe_in_range("node.gpu.copies.pageable.serial_above_to_gpu", &pageable.serial_above_to_gpu)?;
        self.maybe_in_range("node.gpu.copies.pageable.serial_above_from_gpu", &pageable.serial_above_from_gpu)
    }

    fn no_nic(&self, node: &Node) -> Fault {
        let message = format!("node.nics is {}, but nothing says what NIC it is", node.nics.value);
        Fault::at(self.sources, &node.nics.span, message, "of which model?")
            .help("add node.nic = \"connectx-7-400g\", or leave out node.nics where storage is local")
    }

    fn nic(&self, nic: &Nic) -> Result<(), Fault> {
        self.positive("node.nic.line_rate", &nic.line_rate)?;
        self.stated("node.nic.rate", &nic.rate)?;
        self.stated("node.nic.both_directions", &nic.both_directions)?;
        self.stated("node.nic.stream_cap", &nic.stream_cap)?;
        self.maybe_in_range("node.nic.message_service", &nic.message_service)?;
        self.stated("node.nic.queue_pairs", &nic.queue_pairs)?;
        self.link("node.nic.link", &nic.link)?;
        self.costs("node.nic", &nic.costs, &nic.costs_by_size)
    }

    fn cpu(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.cpu.threads", &node.cpu.threads)?;
        self.by_size("node.cpu.copy_rate", &node.cpu.copy_rate)?;
        self.maybe_by_size("node.cpu.copy_rate_in", &node.cpu.copy_rate_in)?;
        self.maybe_by_size("node.cpu.copy_rate_out", &node.cpu.copy_rate_out)?;
        self.maybe_by_size("node.cpu.receive_rate", &node.cpu.receive_rate)?;
        self.doublings("node.cpu", &node.cpu)?;
        self.costs("node.cpu", &node.cpu.costs, &node.cpu.costs_by_size)
    }

    /// What a doubling adds is added to a cost that is there.
    fn doublings(&self, key: &str, cpu: &Cpu) -> Result<(), Fault> {
        cpu.costs_per_doubling.iter().try_for_each(|(name, figure)| {
            let key = format!("{key}.costs_per_doubling.{name}");
            if cpu.costs.contains_key(name) {
                return self.in_range(&key, figure);
            }
            let message = format!("{key} adds to a cost that is not there");
            Err(Fault::at(self.sources, &figure.span, message, "no cost of this name")
                .help(format!("give node.cpu.costs a \"{name}\", be it \"0 us\"")))
        })
    }

    fn dram(&self, node: &Node) -> Result<(), Fault> {
        self.positive("node.dram.rate", &node.dram.rate)?;
        self.stated("node.dram.memory", &node.dram.memory)?;
        self.in_range("node.dram.dma_write", &node.dram.dma_write)?;
        self.in_range("node.dram.dma_read", &node.dram.dma_read)?;
        self.in_range("node.dram.cpu_copy", &node.dram.cpu_copy)?;
        self.maybe_in_range("node.dram.cpu_copy_in", &node.dram.cpu_copy_in)?;
        self.maybe_in_range("node.dram.cpu_copy_out", &node.dram.cpu_copy_out)?;
        if let Some(cache) = &node.dram.cache {
            self.cache(cache)?;
        }
        let cache = &node.dram.page_cache;
        self.share("node.dram.page_cache.dirty_ratio", &cache.dirty_ratio)?;
        self.share("node.dram.page_cache.dirty_background_ratio", &cache.dirty_background_ratio)?;
        self.stated("node.dram.page_cache.available", &cache.available)?;
        node.dram.soft.as_ref().map_or(Ok(()), |law| self.soft(law))
    }

    fn cache(&self, cache: &Cache) -> Result<(), Fault> {
        self.positive("node.dram.cache.size", &cache.size)?;
        self.in_range("node.dram.cache.dma_write", &cache.dma_write)?;
        self.in_range("node.dram.cache.dma_read", &cache.dma_read)?;
        self.in_range("node.dram.cache.cpu_copy_in", &cache.cpu_copy_in)?;
        self.in_range("node.dram.cache.cpu_copy_out", &cache.cpu_copy_out)?;
        let paces = [
            ("node.dram.cache.pace_in", &cache.pace_in),
            ("node.dram.cache.pace_out", &cache.pace_out),
            ("node.dram.cache.pace_staging_to", &cache.pace_staging_to),
            ("node.dram.cache.pace_staging_from", &cache.pace_staging_from),
        ];
        paces.into_iter().try_for_each(|(key, pace)| pace.as_ref().map_or(Ok(()), |pace| self.share(key, pace)))
    }

    fn soft(&self, law: &Soft) -> Result<(), Fault> {
        self.positive("node.dram.soft.cpu", &law.cpu)?;
        self.positive("node.dram.soft.dma_read", &law.dma_read)?;
        self.positive("node.dram.soft.dma_write", &law.dma_write)?;
        self.positive("node.dram.soft.power", &law.power)
    }

    fn target(&self, key: &str, target: &Target) -> Result<(), Fault> {
        self.positive(&format!("{key}.rate"), &target.rate)?;
        self.stated(&format!("{key}.read_rate"), &target.read_rate)?;
        self.stated(&format!("{key}.write_rate"), &target.write_rate)?;
        self.target_caps(key, target)?;
        if let Some(efficiency) = &target.striping_efficiency {
            self.share(&format!("{key}.striping_efficiency"), efficiency)?;
        }
        self.costs(key, &target.costs, &target.costs_by_size)
    }

    fn target_caps(&self, key: &str, target: &Target) -> Result<(), Fault> {
        for (name, server) in [("read_server", &target.read_server), ("write_server", &target.write_server)] {
            server.as_ref().map_or(Ok(()), |server| self.server(&format!("{key}.{name}"), server))?;
        }
        self.stated(&format!("{key}.stream_cap"), &target.stream_cap)?;
        self.stated(&format!("{key}.stream_cap_read"), &target.stream_cap_read)?;
        self.stated(&format!("{key}.stream_cap_write"), &target.stream_cap_write)?;
        self.stated(&format!("{key}.client_cap_read"), &target.client_cap_read)?;
        self.stated(&format!("{key}.client_cap_write"), &target.client_cap_write)?;
        self.stated(&format!("{key}.devices"), &target.devices)?;
        if let Some(stripe) = &target.stripe {
            self.positive(&format!("{key}.stripe.width"), &stripe.width)?;
            self.positive(&format!("{key}.stripe.unit"), &stripe.unit)?;
        }
        if let Some(overhead) = &target.write_overhead {
            self.at_least_one(&format!("{key}.write_overhead"), overhead)?;
        }
        self.data_nodes(key, target)?;
        target.link.as_ref().map_or(Ok(()), |link| self.link(&format!("{key}.link"), link))
    }

    fn server(&self, key: &str, server: &Server) -> Result<(), Fault> {
        self.positive(&format!("{key}.places"), &server.places)?;
        self.in_range(&format!("{key}.service"), &server.service)?;
        self.positive(&format!("{key}.rate"), &server.rate)
    }

    fn link(&self, key: &str, link: &Link) -> Result<(), Fault> {
        self.positive(&format!("{key}.raw"), &link.raw)?;
        if let Some(encoding) = &link.encoding {
            self.share(&format!("{key}.encoding"), encoding)?;
        }
        self.stated(&format!("{key}.max_payload"), &link.max_payload)?;
        if let Some(overhead) = &link.packet_overhead {
            self.in_range(&format!("{key}.packet_overhead"), overhead)?;
        }
        self.stated(&format!("{key}.full_width"), &link.full_width)?;
        if let Some(width) = &link.width {
            self.positive(&format!("{key}.width"), width)?;
            self.trained(&format!("{key}.width"), width, &link.full_width)?;
        }
        self.stated(&format!("{key}.rate_down"), &link.rate_down)?;
        self.stated(&format!("{key}.rate_up"), &link.rate_up)
    }

    /// A link trains to no more lanes than it has.
    pub(super) fn trained(&self, key: &str, to: &Figure<u64>, of: &Option<Figure<u64>>) -> Result<(), Fault> {
        let of = of.as_ref().map_or(lanes::LANES, |of| of.value);
        if to.value <= of {
            return Ok(());
        }
        let message = format!("{key}: a link of {of} lanes cannot train to {}", to.value);
        Err(Fault::at(self.sources, &to.span, message, "more than it has")
            .help("name the lanes that it trained to, such as 8"))
    }
}
